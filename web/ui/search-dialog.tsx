// Shows the dialog of the search: a combobox whose list has records, pages and actions.

import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Calls } from './api-types.ts'
import { useRead } from './data.ts'
import { useStateWords } from './delivery-state.tsx'
import { facts } from './facts.ts'
import { Icon, type IconName } from './icons.tsx'
import { useTexts } from './language.ts'
import { Chip, hrefOf, Time } from './parts.tsx'
import { Problem } from './problem.tsx'
import { matchWords, type SearchPlace } from './search-match.ts'
import { useSettingActs } from './search-settings.ts'
import { searchTexts } from './search-texts.ts'
import { searchWordsOf } from './search-words.ts'
import { showAmount, showPhone } from './show.ts'
import { toneOf, useWords } from './words.ts'

/** The search call of each console: the first for members, the second for operators. */
export type SearchCall = 'GET /v1/search' | 'GET /v1/operator/search'
/** A record that the API found for the search text. */
export type SearchHit = Calls['GET /v1/search']['data']['groups'][number]['items'][number]
/** The business and environment of a search by name, and the switches to others in which the user can repeat the search. */
export type SearchScope = { name: string; others: readonly { id: string; name: string; choose: () => void }[] }

/** A line of the list: a record, a page, an action or a recent search. */
type SearchOption = { key: string; show: ReactNode; choose: () => void }
type SearchGroup = { label: string; options: SearchOption[] }
/** The hits of one kind. If `more` is true, the API found further hits. */
export type FoundGroup = Calls['GET /v1/search']['data']['groups'][number]
/** Returns the lists that show all hits of a group, of which the search shows only the newest. */
export type ListsOfGroup = (group: FoundGroup, text: string) => readonly SearchPlace[]

const WAIT_MS = 150
const TEXT_MIN = 2
const RECENT_MAX = 6
const PLACES_MAX = 6
const OTHERS_MAX = 5

const storageKey = () => `malipo.${facts.console}.searches`

function readRecent(): string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey()) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string').slice(0, RECENT_MAX) : []
  } catch {
    return []
  }
}

function keepRecent(text: string): void {
  const others = readRecent().filter((one) => one !== text)
  sessionStorage.setItem(storageKey(), JSON.stringify([text, ...others].slice(0, RECENT_MAX)))
}

/** Returns true if the API searches for the text: at least two characters, or the number of an invoice. */
const isSearched = (text: string) => text.length >= TEXT_MIN || /^[1-9]$/.test(text)

/** Returns the pages and actions that match the text. Without a text, returns the actions only. */
function placesFor(places: readonly SearchPlace[], text: string): SearchPlace[] {
  if (text === '') return places.filter(({ is_act }) => is_act)
  const wordsOf = (place: SearchPlace) =>
    `${place.label} ${place.words ?? ''} ${'to' in place ? searchWordsOf(place.to) : ''}`
  return matchWords(places, text, wordsOf).slice(0, PLACES_MAX)
}

/** The pages and actions of the user, and where a hit leads. */
type SearchTargets = {
  places: readonly SearchPlace[]
  pageOf: (hit: SearchHit) => string
  listsOf?: ListsOfGroup | undefined
  scope?: SearchScope | undefined
  onClose: () => void
}

/** What the API answered to the text of the field. */
type SearchAnswer = {
  found: readonly FoundGroup[]
  /** True if the text is long enough, so that the dialog asks the API. */
  asks: boolean
  /** True while the list may still show the hits of an earlier text. */
  is_stale: boolean
  /** True while the dialog waits for the API. */
  is_reading: boolean
  error: unknown
  retry: () => void
}

/** Asks the API for the typed text, and shows the dialog. */
export function SearchDialog({
  call,
  typedAhead,
  ...targets
}: SearchTargets & {
  call: SearchCall
  /** The keys that the user typed while the dialog was loading. */
  typedAhead: string
}) {
  const [typed, setTyped] = useState(typedAhead)
  const [waited] = useDebouncedValue(typed.trim(), WAIT_MS)
  const asks = isSearched(waited)
  const read = useRead(call, { query: { q: waited } }, { enabled: asks, keep: true })
  const places = [...targets.places, ...useSettingActs()]
  const answer: SearchAnswer = {
    found: (asks ? read.data?.groups : null) ?? [],
    asks,
    is_stale: isSearched(typed.trim()) && (typed.trim() !== waited || read.isPlaceholderData || read.isPending),
    is_reading: asks && read.isFetching,
    error: asks ? read.error : null,
    retry: () => void read.refetch(),
  }
  return <SearchView {...targets} {...{ places, typed, setTyped, answer }} />
}

/**
 * Shows the search field and the list of hits. If the user chooses a recent search, fills the field with its text. Any other
 * choice opens its page and closes the dialog.
 */
export function SearchView({
  typed,
  setTyped,
  answer,
  ...targets
}: SearchTargets & { typed: string; setTyped: (text: string) => void; answer: SearchAnswer }) {
  const t = useTexts(searchTexts)
  const dialog = useRef<HTMLDialogElement>(null)
  const { asks, is_reading, error } = answer
  const { scope } = targets
  const groups = useGroups(targets, answer.found, typed.trim(), setTyped)
  // The dialog opens before the browser handles the next key. A later effect would lose the keys of a fast user.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const none = asks && !error && !is_reading && groups.every(({ options }) => options.length === 0)
  const none_text = `${scope === undefined ? t.none : t.none_in(scope.name)} ${t.hint_none}`
  const is_short = typed.trim() !== '' && !isSearched(typed.trim())
  const count = groups.reduce((sum, { options }) => sum + options.length, 0)
  return (
    <dialog
      ref={dialog}
      className="dialog search-dialog"
      aria-label={t.open}
      onClose={targets.onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      // Directly after Escape, the field of the closed dialog still has the focus, and the shortcuts must work.
      onKeyDown={(event) => (dialog.current?.open ? event.stopPropagation() : undefined)}
    >
      <SearchList {...{ typed, setTyped, groups }} is_stale={answer.is_stale} close={() => dialog.current?.close()} />
      <div className="search-foot">
        <Problem error={error} retry={answer.retry} />
        {is_short ? <p className="search-none">{t.short}</p> : null}
        {none ? <p className="search-none">{none_text}</p> : null}
        {none ? <OtherScopes others={scope?.others ?? []} dialog={dialog} /> : null}
        <span role="status" className="unseen">
          {is_short ? t.short : typed.trim() === '' || is_reading ? '' : none ? none_text : t.count(count)}
        </span>
        <p className="search-help">{t.help}</p>
      </div>
    </dialog>
  )
}

/** Shows a button for each other scope. The button switches and repeats the search. Then the field has the focus. */
function OtherScopes({
  others,
  dialog,
}: {
  others: SearchScope['others']
  dialog: RefObject<HTMLDialogElement | null>
}) {
  const t = useTexts(searchTexts)
  return (
    <div className="search-others">
      {others.slice(0, OTHERS_MAX).map(({ id, name, choose }) => (
        <Button
          key={id}
          size="xs"
          variant="default"
          onClick={() => {
            choose()
            dialog.current?.querySelector('input')?.focus()
          }}
        >
          {t.search_in(name)}
        </Button>
      ))}
    </div>
  )
}

function SearchList({
  typed,
  setTyped,
  groups,
  is_stale,
  close,
}: {
  typed: string
  setTyped: (text: string) => void
  groups: readonly SearchGroup[]
  is_stale: boolean
  close: () => void
}) {
  const t = useTexts(searchTexts)
  const list_id = useId()
  const options = groups.flatMap((group) => group.options)
  const [active_key, setActive] = useState<string | null>(null)
  const found = options.findIndex(({ key }) => key === active_key)
  const at = found >= 0 ? found : 0
  const active = options[at]
  const idOf = (option: SearchOption) => `${list_id}-${options.indexOf(option)}`
  const move = (to: number) => {
    const next = options[(to + options.length) % options.length]
    if (next === undefined) return
    setActive(next.key)
    document.getElementById(idOf(next))?.scrollIntoView({ block: 'nearest' })
  }
  // If the user presses Enter while the list has the hits of an earlier text, the dialog waits for the hits of the whole text.
  const [entered, setEntered] = useState(false)
  useEffect(() => {
    if (!entered || is_stale) return
    setEntered(false)
    active?.choose()
  }, [entered, is_stale, active])
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 }
    const to = moves[event.key]
    if (to !== undefined) {
      event.preventDefault()
      move(active_key === null && event.key === 'ArrowDown' && options.length > 0 ? 1 % options.length : to)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      if (is_stale) setEntered(true)
      else active?.choose()
    }
  }
  return (
    <>
      <div className="search-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={t.open}
          aria-expanded={options.length > 0}
          aria-controls={list_id}
          aria-autocomplete="list"
          {...(active ? { 'aria-activedescendant': idOf(active) } : {})}
          placeholder={t.placeholder}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the reader opened the search to type
          autoFocus
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setActive(null)
            setEntered(false)
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" className="search-close" onClick={close}>
          {t.close}
        </button>
      </div>
      <div role="listbox" id={list_id} aria-label={t.results} className="search-list">
        {groups.map((group, i) =>
          group.options.length === 0 ? null : (
            // biome-ignore lint/a11y/useSemanticElements: a group of a listbox has no element of its own
            <div role="group" key={group.label} aria-labelledby={`${list_id}-group-${i}`}>
              <p id={`${list_id}-group-${i}`} className="search-group">
                {group.label}
              </p>
              {group.options.map((option) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
                <div
                  key={option.key}
                  role="option"
                  id={idOf(option)}
                  tabIndex={-1}
                  aria-selected={option === active}
                  className="search-option"
                  onClick={option.choose}
                  onPointerMove={() => setActive(option.key)}
                >
                  {option.show}
                </div>
              ))}
            </div>
          ),
        )}
      </div>
    </>
  )
}

/** Returns the groups of the list. Without a text, the list has the recent searches and the actions. */
function useGroups(
  { places, pageOf, listsOf, onClose }: SearchTargets,
  found: readonly FoundGroup[],
  text: string,
  setTyped: (text: string) => void,
): SearchGroup[] {
  const t = useTexts(searchTexts)
  const navigate = useNavigate()
  const finish = () => {
    if (isSearched(text)) keepRecent(text)
    onClose()
  }
  const open = (to: string) => {
    finish()
    const [path = '', query = ''] = to.split('?')
    void navigate({ to: hrefOf(path), search: Object.fromEntries(new URLSearchParams(query)) as never })
  }
  const near = placesFor(places, text)
  const lines = (chosen: readonly SearchPlace[]): SearchOption[] =>
    chosen.map((place) => ({
      key: `place ${place.icon} ${place.label}`,
      show: <SimpleLine icon={place.icon} text={place.label} />,
      choose: () => {
        if ('to' in place) return open(place.to)
        finish()
        place.run()
      },
    }))
  const recent = text === '' ? readRecent() : []
  return [
    {
      label: t.recent,
      options: recent.map((one) => ({
        key: `recent ${one}`,
        show: <SimpleLine icon="history" text={one} />,
        choose: () => setTyped(one),
      })),
    },
    ...found.map((group) => ({
      label: t.kinds[group.kind],
      options: [
        ...group.items.map((hit) => ({
          key: `${hit.kind} ${hit.id} ${hit.status}`,
          show: <HitLine hit={hit} />,
          choose: () => open(pageOf(hit)),
        })),
        ...lines(group.more ? (listsOf?.(group, text) ?? []) : []),
      ],
    })),
    { label: t.acts, options: lines(near.filter(({ is_act }) => is_act)) },
    { label: t.pages, options: lines(near.filter(({ is_act }) => !is_act)) },
  ]
}

function SimpleLine({ icon, text }: { icon: IconName; text: string }) {
  return (
    <span className="search-line">
      <Icon name={icon} size={18} />
      <span>{text}</span>
    </span>
  )
}

const ICONS: Record<SearchHit['kind'], IconName> = {
  payment: 'collect',
  withdrawal: 'payout',
  payment_link: 'link',
  invoice: 'invoice',
  transaction: 'transactions',
  delivery: 'webhook',
  merchant: 'shop',
  person: 'people',
  statement_line: 'statement',
}

/**
 * Shows a hit in the columns amount or title, recipient or payer, status and time. The columns are the same for all hits, also
 * if a fact is missing. Further facts are below.
 */
function HitLine({ hit }: { hit: SearchHit }) {
  const t = useTexts(searchTexts)
  const words = useWords()
  const states = useStateWords()
  const { kind, title, currency, name, phone, reference, description } = hit
  const { status, environment, merchant_name, created_at } = hit
  const word: Partial<Record<SearchHit['kind'], (word: string) => string>> = {
    payment: words.collection,
    withdrawal: words.withdrawal,
    payment_link: words.link,
    invoice: words.invoice,
    delivery: (word) => (word === 'pending' ? states.open : (states[word as keyof typeof states] ?? word)),
  }
  const shown = status === null ? null : (word[kind]?.(status) ?? t.statuses[status] ?? status)
  const who = [phone === null ? null : showPhone(phone), name]
  const sandbox = merchant_name !== null && environment === 'sandbox' ? words.environment(environment) : null
  const further = [reference, description, merchant_name, sandbox]
  return (
    <span className="search-line">
      <Icon name={ICONS[kind]} size={18} />
      <span className="search-hit">
        <strong className="search-title">{currency === null ? title : showAmount(title, currency)}</strong>
        <HitFacts className="search-who" facts={who} />
        <span className="search-status">
          {shown === null ? null : <Chip tone={toneOf(status ?? '')}>{shown}</Chip>}
        </span>
        <span className="search-time">
          <Time time={created_at} />
        </span>
        <HitFacts className="search-facts" facts={further} />
      </span>
    </span>
  )
}

/** Shows the facts that are known, each once. */
function HitFacts({ className, facts }: { className: string; facts: readonly (string | null)[] }) {
  return (
    <span className={className}>
      {[...new Set(facts)]
        .filter((one) => one !== null && one !== '')
        .map((one) => (
          <span key={one}>{one}</span>
        ))}
    </span>
  )
}

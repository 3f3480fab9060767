// Defines components that many pages use: titles, amounts, times, statuses, copying, dialogs.

import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import {
  createContext,
  Fragment,
  type ReactNode,
  type SyntheticEvent,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { facts } from './facts.ts'
import { EmptyPicture, Icon, type IconName } from './icons.tsx'
import { useLanguage, useTexts } from './language.ts'
import { partsTexts } from './parts-texts.ts'
import { dayOf, showAmount, showTime } from './show.ts'
import { showToast } from './toast.tsx'

let visited = false

/** True around the facts of one record, whose times have seconds. The times of a list end with the minute. */
export const SecondsContext = createContext(false)

/** True around the facts of a row on a phone, whose times omit the current year. */
export const ShortTimeContext = createContext(false)

/**
 * Shows a page with its title. With `record`, the page is about one record, so its times have seconds. When the page opens,
 * this component sets the title of the document. Except on the first page and after a switch in the header, it also moves the
 * focus to the heading.
 */
export function Page({
  title,
  lead,
  actions,
  record = false,
  children,
}: {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  record?: boolean
  children: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${facts.brand_name}`
  }, [title])
  useEffect(() => {
    // On the first page, the focus stays at the skip link. On a later page, the heading takes the focus, because the clicked
    // link may no longer exist. A switch in the header keeps the focus.
    if (visited && !document.activeElement?.closest('header')) heading.current?.focus({ preventScroll: true })
    visited = true
    scrollTo(0, 0)
  }, [])
  return (
    <SecondsContext value={record}>
      <Stack gap="lg" className="page">
        <Group justify="space-between" align="flex-start" gap="sm">
          <div className="page-head">
            <Title order={1} ref={heading} tabIndex={-1} className="page-title">
              {title}
            </Title>
            {lead ? (
              <Text c="dimmed" component="div" className="page-lead">
                {lead}
              </Text>
            ) : null}
          </div>
          {actions ? (
            <Group gap="xs" className="no-print">
              {actions}
            </Group>
          ) : null}
        </Group>
        {children}
      </Stack>
    </SecondsContext>
  )
}

/**
 * Shows a link to another page of this console. `to` is a path below the console, such as "sandbox/collections". `search` adds
 * query parameters.
 */
export function PageLink({
  to,
  search,
  children,
  ...rest
}: {
  to: string
  search?: Record<string, string>
  children: ReactNode
  className?: string
  'aria-label'?: string
  /** True means that a click anywhere on the row opens this link. */
  'data-row-link'?: boolean
}) {
  return (
    <Anchor {...rest} renderRoot={(props) => <Link {...props} {...placeOf(to, search)} />}>
      {children}
    </Anchor>
  )
}

/** Shows a button that opens another page of this console. */
export function PageButton({
  to,
  icon,
  children,
  ...rest
}: {
  to: string
  icon?: IconName
  children: ReactNode
  variant?: string
  size?: string
  'aria-label'?: string
  /** A function that runs before the button opens the page. */
  onClick?: () => void
}) {
  return (
    <Button
      {...rest}
      {...(icon === undefined ? {} : { leftSection: <Icon name={icon} size={16} /> })}
      renderRoot={(props) => <Link {...props} {...placeOf(to)} />}
    >
      {children}
    </Button>
  )
}

/**
 * Splits `to` into a path and a query, because the router takes them separately. `search` adds query parameters.
 */
export function placeOf(to: string, search: Record<string, string> = {}) {
  const [path = '', query = ''] = to.split('?')
  return { to: hrefOf(path), search: { ...Object.fromEntries(new URLSearchParams(query)), ...search } as never }
}

/** Returns a function that makes the path of a page beside the current page, in either console. */
export function useSiblingPath(): (page: string) => string {
  const { pathname } = useLocation()
  return (page) => [...pathname.split('/').slice(1, -1), page].join('/')
}

/** Returns the path of a page for the router, relative to this console. */
export function hrefOf(to: string): string {
  return `/${to}`
}

/** Shows an amount without line breaks. Null as `value` shows a dash. */
export function Amount({ value, currency = 'TZS' }: { value: string | number | null; currency?: string }) {
  return <span className="amount">{value === null ? '–' : showAmount(value, currency)}</span>
}

/** Shows a time in the time zone of Tanzania. Null shows a dash. */
export function Time({ time }: { time: string | null }) {
  const language = useLanguage()
  const seconds = useContext(SecondsContext)
  const short = useContext(ShortTimeContext)
  if (time === null) return <>–</>
  const [date = '', ...clock] = showTime(time, language, seconds).split(', ')
  const day = short && date.endsWith(` ${dayOf(new Date()).slice(0, 4)}`) ? date.slice(0, -5) : date
  // In a narrow column, the line may break only between the date and the time of day.
  return (
    <time dateTime={time} title={`${time} (UTC)`}>
      <span className="whole">{day},</span> <span className="whole">{clock.join(', ')}</span>
    </time>
  )
}

/**
 * The tone of a status, which selects a colour. The text states the same meaning, so that no meaning depends on colour.
 */
export type Tone = 'good' | 'bad' | 'wait' | 'warn' | 'plain'

/** Shows a status as a coloured word. */
export function Chip({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`chip chip-${tone}`}>{children}</span>
}

/**
 * Shows a group of facts with a heading. If the caller gives an `id`, the heading names the section for screen readers.
 */
export function Panel({ title, id, children }: { title: string; id?: string; children: ReactNode }) {
  return (
    <section className="panel" aria-labelledby={id}>
      <Title order={2} id={id}>
        {title}
      </Title>
      <Stack gap="md">{children}</Stack>
    </section>
  )
}

/**
 * Shows the names and values of a record. Values that are null or undefined do not appear. A wide value has a separate line.
 */
export function FactList({ facts: entries }: { facts: readonly (readonly [string, ReactNode, 'wide'?] | null)[] }) {
  return (
    <dl className="facts">
      {entries.map((entry) =>
        entry === null || entry[1] === null || entry[1] === undefined ? null : (
          <div key={entry[0]} className={entry[2]}>
            <dt>{entry[0]}</dt>
            <dd>{entry[1]}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** Shows a button that copies a text. Screen readers announce the result. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useTexts(partsTexts)
  const [done, setDone] = useState<'copied' | 'copy_failed' | null>(null)
  const copy = async () => {
    try {
      // Outside of https and localhost, the browser has no clipboard, and this line throws.
      await navigator.clipboard.writeText(text)
      setDone('copied')
      showToast(t.copied)
    } catch {
      setDone('copy_failed')
    }
    setTimeout(() => setDone(null), 3_000)
  }
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name={done === 'copied' ? 'check' : 'copy'} size={14} />}
        onClick={() => void copy()}
        className="no-print"
      >
        {done === null ? (label ?? t.copy) : t[done]}
      </Button>
      <span role="status" className="unseen">
        {done === 'copy_failed' ? t.copy_failed : ''}
      </span>
    </>
  )
}

/** Shows a reference on one line. If a list cuts a long reference, its title attribute has the whole text. */
export function Reference({ text }: { text: string | null }) {
  if (text === null) return <>–</>
  return (
    <span className="reference" title={text}>
      {text}
    </span>
  )
}

/** The largest number of characters of a domain that stays on one line. */
const DOMAIN_OF_LINE = 24

/** Shows a name. An e-mail address breaks after the @ sign. Only a long domain also breaks before its dots. */
export function PersonName({ name }: { name: string }) {
  const [user, domain, ...rest] = name.split('@')
  if (!user || !domain || rest.length > 0) return <>{name}</>
  const parts = domain.length > DOMAIN_OF_LINE ? domain.split(/(?=\.)/) : [domain]
  return (
    <span className="email">
      {user}@
      {parts.map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a domain keep their places
        <Fragment key={place}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </span>
  )
}

/** Shows a text in fixed width, such as a key or an id. */
export function Mono({ children }: { children: ReactNode }) {
  return <code className="mono">{children}</code>
}

const bottomOf = (element: HTMLElement) => element.getBoundingClientRect().bottom

/**
 * Shows a modal dialog. Escape closes the dialog and calls `onClose`. If the first field is visible without scrolling, the focus
 * starts there, otherwise at the title. So a key press meant for the page presses no button.
 */
export function Dialog({
  open,
  onClose,
  title,
  children,
}: {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title_id = useId()
  useEffect(() => {
    const element = dialog.current
    if (element === null) return
    if (open && !element.open) {
      element.showModal()
      // The browser chooses another element, because the Tab key does not stop at the title.
      const field = element.querySelector<HTMLElement>('input:not([type=checkbox]), select, textarea')
      const footer = element.querySelector<HTMLElement>('.dialog-footer')
      element.scrollTop = 0
      // If the focus went to a field below the visible part, the browser would scroll the title out of view. The visible part
      // ends at the footer, because the footer stays in view.
      const end = Math.min(bottomOf(element), footer?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY)
      const is_visible = field !== null && bottomOf(field) <= end
      const first = is_visible ? field : element.querySelector<HTMLElement>('h2')
      first?.focus({ preventScroll: true })
    }
    if (!open && element.open) element.close()
  }, [open])
  const unmounted = useRef(false)
  // If another page replaces this page, the dialog returns the focus. The dialog does not call `onClose`, because the user did
  // not close the dialog.
  useLayoutEffect(() => {
    const element = dialog.current
    unmounted.current = false
    return () => {
      unmounted.current = true
      element?.close()
    }
  }, [])
  // The browser would close the dialog before the page knows it, and the next key press would meet the old state of the page.
  const onCancel = (event: SyntheticEvent) => {
    // A file field sends the same event if the user chooses no file.
    if (event.target !== dialog.current) return
    event.preventDefault()
    onClose()
  }
  // A close by the page is already known. Only after a close by the browser is `open` still true.
  const onDialogClose = () => {
    if (open && !unmounted.current && dialog.current?.open === false) onClose()
  }
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={title_id} onClose={onDialogClose} onCancel={onCancel}>
      {open ? (
        <Stack gap="md" className="dialog-body">
          <Title order={2} id={title_id} tabIndex={-1} className="page-title">
            {title}
          </Title>
          {children}
        </Stack>
      ) : null}
    </dialog>
  )
}

/**
 * Shows the purpose of a page without records, and the first step. `done` means that the user has finished the work of the
 * page.
 */
export function EmptyState({
  title,
  done = false,
  children,
  action,
}: {
  title: string
  done?: boolean
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="empty">
      <EmptyPicture kind={done ? 'done' : 'none'} />
      <Title order={2}>{title}</Title>
      {children ? <Text component="div">{children}</Text> : null}
      {action ? <Group mt="md">{action}</Group> : null}
    </div>
  )
}

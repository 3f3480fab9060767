// Shows lists. The address contains the filters and the page number. On a phone, a table becomes cards. The user can download
// the result as CSV.

import './list.css'
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type CallName, download, type Input, Refused } from './api.ts'
import { checks } from './checks.ts'
import { useScope, withScope } from './data.ts'
import { dayInWords } from './day-field.tsx'
import { useLanguage, useTexts } from './language.ts'
import { type BulkAct, BulkBar } from './list-bulk.tsx'
import { ColumnChoice, SavedFilters, useHiddenColumns, useListName } from './list-views.tsx'
import { LoadingRows } from './loading-rows.tsx'
import { EmptyState, PageLink, SecondsContext, ShortTimeContext } from './parts.tsx'
import { partsTexts } from './parts-texts.ts'
import { isPhoneFilter, plainNumber, readPhone } from './phone-number.ts'
import { Problem } from './problem.tsx'
import { openRow } from './row-link.ts'
import { endOfDay, showCount, startOfDay } from './show.ts'
import { showToast } from './toast.tsx'

/**
 * A filter of a list. A `phone` is a phone number or its last 4 to 9 digits. If it is invalid, the list shows an error and does
 * not send the filter. If `as_typed` is true, the server finds the values that begin with the text, so the list follows the
 * typing. For a `day`, the list sends the time at which the Tanzanian day begins (`from`) or ends (`to`). If
 * `named` is true, users gave the choices their names, which may be long.
 */
export type ListFilter =
  | {
      name: string
      label: string
      kind: 'choice'
      choices: readonly (readonly [value: string, label: string])[]
      named?: true
    }
  | { name: string; label: string; kind: 'phone' }
  | { name: string; label: string; kind: 'text'; as_typed?: true }
  | { name: string; label: string; kind: 'day'; edge: 'from' | 'to' }

/**
 * A column of a list. The first column links to the record, unless another column has `link`. On a phone, a `wide` column has
 * its value below its label. The user can hide an `optional` column. A `hidden` column is hidden until the user chooses it.
 */
export type Column<Row> = {
  label: string
  show: (row: Row) => ReactNode
  right?: boolean
  wide?: boolean
  link?: true
  optional?: { name: string; hidden?: boolean }
}

/**
 * The lines that show a row on a phone: the title and the status, then `below`, then the facts. The title links to the record.
 * `select` is a checkbox before the title. Null facts do not appear.
 */
export type RowLines = {
  title: ReactNode
  status: ReactNode
  below?: ReactNode
  facts: readonly ReactNode[]
  select?: ReactNode
}

/**
 * Reads the filters and the page of a list from the address, and returns the query. If the filter of a phone number is invalid,
 * `wrong` is true, and the page must not read the list.
 */
export function useListQuery(filters: readonly ListFilter[]) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const navigate = useNavigate()
  const router = useRouter()
  const set = (changes: Record<string, string>) => {
    // The user opens another page at this moment, for example with a click on a row directly after typing.
    const shown = router.state.resolvedLocation ?? router.latestLocation
    if (router.latestLocation.pathname !== shown.pathname) return
    const next = { ...search, page: undefined, ...changes }
    const search_params = Object.fromEntries(
      Object.entries(next).filter(([, value]) => value !== undefined && value !== ''),
    )
    void navigate({ to: '.', search: search_params as never, replace: true, resetScroll: false })
  }
  // Without this check, the API would refuse the list and the CSV file because of an invalid phone.
  const wrong = filters.some(({ name, kind }) => {
    const value = search[name] ?? ''
    return kind === 'phone' && value !== '' && !isPhoneFilter(value)
  })
  const query: Record<string, string | number> = { page: Math.max(1, Number(search.page) || 1), page_size: 20 }
  for (const filter of filters) {
    const value = search[filter.name]
    if (value === undefined || value === '') continue
    if (filter.kind === 'phone') query[filter.name] = readPhone(value) ?? plainNumber(value)
    else if (filter.kind === 'day') query[filter.name] = filter.edge === 'from' ? startOfDay(value) : endOfDay(value)
    else query[filter.name] = value
  }
  const active = Object.fromEntries(
    filters.flatMap(({ name }) => ((search[name] ?? '') === '' ? [] : [[name, search[name] as string]])),
  )
  const filtered = Object.keys(active).length > 0
  const clear = () => set(Object.fromEntries(filters.map(({ name }) => [name, ''])))
  return { query, wrong, search, set, clear, filtered, active }
}

type ListRead<Row> = {
  data:
    | {
        items: readonly Row[]
        pagination: { page: number; page_size: number; total_items: number; total_pages: number }
      }
    | undefined
  error: unknown
  isPending: boolean
  refetch: () => unknown
}

/** Returns true if no record exists and no filter is set. The empty state then has the only button of the page. */
export const hasNoRecord = ({ data }: Pick<ListRead<unknown>, 'data'>, { filtered }: { filtered: boolean }) =>
  data?.pagination.total_items === 0 && !filtered

/**
 * Shows the filters, the rows and the page numbers of a list. If no record exists and no filter is set, shows only
 * `empty`. `csv` is the call that returns the file.
 */
export function List<Row, Csv extends CallName = CallName>(props: {
  label: string
  read: ListRead<Row>
  list: ReturnType<typeof useListQuery>
  filters: readonly ListFilter[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  href?: (row: Row) => string | null
  /** Returns the two lines of a row on a phone. Without this function, a row becomes a card of all columns. */
  lines?: (row: Row) => RowLines
  /** The action that the user can take on several rows. */
  bulk?: BulkAct<Row>
  /** A filter with its own component, before the other filters. */
  first?: ReactNode
  empty: ReactNode
  /**
   * Returns true if the filters select all waiting records of the page. In this case, an empty list means that the queue is
   * empty.
   */
  isQueue?: (active: Readonly<Record<string, string>>) => boolean
  csv?: { name: Csv; file: string; input?: Input<Csv> }
  /** True if the read leaves out records although no filter is set, so that an empty list may hide records. */
  narrowed?: boolean
}) {
  const t = useTexts(partsTexts)
  const language = useLanguage()
  const { read, list, filters } = props
  const stack = useRef<HTMLDivElement>(null)
  // If the API refuses a filter, the field shows the message, and the list keeps the previous rows. Without previous rows, an
  // error shows the message too, because a phone folds the field.
  const last = useRef(read.data)
  if (read.data !== undefined) last.current = read.data
  const { error } = read
  const fields = error instanceof Refused && error.status === 400 ? error.fieldsIn(language) : {}
  const refused =
    Object.keys(fields).length > 0 && Object.keys(fields).every((name) => filters.some((one) => one.name === name))
  const data = refused || list.wrong ? last.current : read.data
  const keeps_rows = refused && data !== undefined && data.items.length > 0
  const empty = data?.items.length === 0
  // The tools of the list stand in their places while the first rows load.
  const waits = read.isPending && !error && !list.wrong
  const [chosen, setChosen] = useState<string[]>([])
  const selected = data?.items.filter((row) => props.bulk?.can(row) && chosen.includes(props.rowKey(row))) ?? []
  const name = useListName()
  const optional = props.columns.flatMap((column) =>
    column.optional ? [{ ...column.optional, label: column.label }] : [],
  )
  const [hidden, setHidden] = useHiddenColumns(
    name,
    optional.filter((one) => one.hidden).map((one) => one.name),
  )
  const columns = props.columns.filter((column) => !column.optional || !hidden.includes(column.optional.name))
  const none = data?.pagination.total_items === 0 && !list.filtered
  // Without any record, the tools have no use. If the user has just cleared a filter, they stay, because they have the focus.
  const had_use = useRef(false)
  if (list.filtered || (data !== undefined && !none)) had_use.current = true
  const has_tools = !none || had_use.current || props.narrowed === true
  const has_filters = has_tools && (filters.length > 0 || props.csv !== undefined || props.first !== undefined)
  const choice =
    optional.length > 0 && (waits || data) ? (
      <ColumnChoice
        names={optional.map((one) => one.name)}
        labels={Object.fromEntries(optional.map((one) => [one.name, one.label]))}
        hidden={hidden}
        set={setHidden}
      />
    ) : null
  return (
    <Stack gap="md" ref={stack}>
      {has_filters ? <Filters {...props} wrong={fields} waits={waits} choice={choice} /> : null}
      <div className="list-tools">
        {has_tools && filters.length > 0 ? (
          <SavedFilters
            list={name}
            active={list.active}
            apply={(search) => list.set({ ...Object.fromEntries(filters.map((one) => [one.name, ''])), ...search })}
          />
        ) : null}
        {has_tools && !has_filters ? choice : null}
      </div>
      <Problem error={keeps_rows ? null : error} retry={() => void read.refetch()} />
      {refused && !keeps_rows ? (
        <Group>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              // This button disappears with the error.
              focusFilters(stack.current?.querySelector('[role=search]'))
              list.clear()
            }}
          >
            {t.without_filters}
          </Button>
        </Group>
      ) : null}
      {waits ? <LoadingRows label={t.loading} /> : null}
      {none ? props.empty : null}
      {data && empty && !none && !refused ? <None past={data.pagination.total_items > 0} {...props} /> : null}
      {props.bulk ? (
        <BulkBar act={props.bulk} rows={selected} idle={!data?.items.some(props.bulk.can)} choose={setChosen} />
      ) : null}
      {data && data.items.length > 0 ? (
        <SecondsContext value={false}>
          <Table
            {...props}
            columns={columns}
            rows={data.items}
            {...(props.bulk ? { chosen, choose: setChosen } : {})}
          />
        </SecondsContext>
      ) : null}
      {data && data.pagination.total_items > 0 ? <Pages {...data.pagination} set={list.set} /> : null}
    </Stack>
  )
}

/** Shows why the list is empty: the queue is empty, no record matches, or the page number is too high. */
function None({
  past,
  list,
  filters,
  isQueue,
}: {
  past: boolean
  list: ReturnType<typeof useListQuery>
  filters: readonly ListFilter[]
  isQueue?: (active: Readonly<Record<string, string>>) => boolean
}) {
  const t = useTexts(partsTexts)
  if (past) {
    return (
      <div role="status">
        <Text>{t.past_end}</Text>
        <Button mt="xs" size="xs" variant="default" onClick={() => list.set({})}>
          {t.first_page}
        </Button>
      </div>
    )
  }
  if (isQueue?.(list.active)) return <EmptyState title={t.queue_clear}>{t.queue_clear_teach}</EmptyState>
  // The filter that selects the queue hides no waiting record, so only the others have a button.
  const hiding = filters.flatMap((filter) => {
    const value = list.active[filter.name]
    if (value === undefined || filter.label === '' || isQueue?.({ [filter.name]: value })) return []
    return [{ name: filter.name, text: `${filter.label}: ${shownValue(filter, value)}` }]
  })
  return (
    <Stack gap="xs">
      <Text role="status">{t.none_match}</Text>
      <Group gap="xs">
        {hiding.map(({ name, text }) => (
          <Button key={name} size="xs" variant="default" onClick={() => list.set({ [name]: '' })}>
            {t.remove_filter(text)}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}

/** Returns the value of a filter as the filter shows it. */
function shownValue(filter: ListFilter, value: string): string {
  const choice = filter.kind === 'choice' ? filter.choices.find(([one]) => one === value) : undefined
  return choice?.[1] ?? value
}

/** Shows the body of a page about one record: an error, placeholders before the first response, or the record. */
export function RecordBody<Data>({
  read,
  children,
}: {
  read: { data: Data | undefined; error: unknown; refetch: () => unknown }
  children: (data: Data) => ReactNode
}) {
  return (
    <>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.data === undefined && !read.error ? <LoadingRows /> : null}
      {read.data === undefined ? null : children(read.data)}
    </>
  )
}

// On a phone, CSS turns table rows into cards. Because of the explicit roles, screen readers still announce a table.
const ROLE = Object.fromEntries(
  ['table', 'rowgroup', 'row', 'columnheader', 'cell'].map((role) => [role, { role }]),
) as Record<'table' | 'rowgroup' | 'row' | 'columnheader' | 'cell', { role: string }>

/** Shows a table. On a phone, each row becomes a card or two lines. A click on a row opens its record. */
export function Table<Row>(props: {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  href?: (row: Row) => string | null
  lines?: (row: Row) => RowLines
  /** The action on several rows, with the keys of the selected rows. */
  bulk?: BulkAct<Row>
  chosen?: readonly string[]
  choose?: (keys: string[]) => void
}) {
  const t = useTexts(partsTexts)
  const { bulk, chosen = [], choose } = props
  const linked = Math.max(
    0,
    props.columns.findIndex(({ link }) => link),
  )
  const is_phone = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false })
  if (is_phone && props.lines) return <Lines {...props} lines={props.lines} />
  return (
    <table className="list" {...ROLE.table} aria-label={props.label}>
      <thead {...ROLE.rowgroup}>
        <tr {...ROLE.row}>
          {bulk && choose ? (
            <th scope="col" {...ROLE.columnheader} className="choose">
              <AllCheckbox
                keys={props.rows.filter((row) => bulk.can(row)).map(props.rowKey)}
                chosen={chosen}
                choose={choose}
              />
            </th>
          ) : null}
          {props.columns.map(({ label, right }) => (
            <th key={label} scope="col" {...ROLE.columnheader} className={right ? 'right' : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...ROLE.rowgroup}>
        {props.rows.map((row) => {
          const href = props.href?.(row) ?? null
          return (
            <tr
              key={props.rowKey(row)}
              {...ROLE.row}
              {...(href === null ? {} : { className: 'opens', onClick: openRow, onAuxClick: openRow })}
            >
              {bulk && choose ? (
                <td {...ROLE.cell} data-label={t.select} className="choose">
                  <RowCheckbox {...{ bulk, row, chosen, choose }} name={props.rowKey(row)} />
                </td>
              ) : null}
              {props.columns.map(({ label, show, right, wide }, i) => (
                <td
                  key={label}
                  {...ROLE.cell}
                  data-label={label}
                  className={right ? 'right' : wide ? 'wide' : undefined}
                >
                  {/* On a phone, the cell must have exactly one element beside the label. */}
                  <div>
                    {i === linked && href !== null ? (
                      <PageLink to={href} data-row-link>
                        {show(row)}
                      </PageLink>
                    ) : (
                      show(row)
                    )}
                  </div>
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** Shows the checkbox that selects every row of the page that allows the action. */
function AllCheckbox({
  keys,
  chosen,
  choose,
}: {
  keys: readonly string[]
  chosen: readonly string[]
  choose: (keys: string[]) => void
}) {
  const t = useTexts(partsTexts)
  const count = keys.filter((key) => chosen.includes(key)).length
  return (
    <Checkbox
      aria-label={t.select_all}
      checked={keys.length > 0 && count === keys.length}
      indeterminate={count > 0 && count < keys.length}
      onChange={(event) => choose(event.currentTarget.checked ? [...keys] : [])}
    />
  )
}

/** Shows the checkbox of a row. A row that does not allow the action has no checkbox. */
function RowCheckbox<Row>({
  bulk,
  row,
  name,
  chosen,
  choose,
}: {
  bulk: BulkAct<Row>
  row: Row
  name: string
  chosen: readonly string[]
  choose: (keys: string[]) => void
}) {
  if (!bulk.can(row)) return null
  return (
    <Checkbox
      aria-label={bulk.select(row)}
      checked={chosen.includes(name)}
      onChange={(event) =>
        choose(event.currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
      }
    />
  )
}

/** Shows each row in two lines: the title and the status, then the facts. A line between them is optional. */
function Lines<Row>({
  label,
  rows,
  rowKey,
  href,
  lines,
  bulk,
  chosen = [],
  choose,
}: {
  label: string
  rows: readonly Row[]
  rowKey: (row: Row) => string
  href?: (row: Row) => string | null
  lines: (row: Row) => RowLines
  bulk?: BulkAct<Row>
  chosen?: readonly string[]
  choose?: (keys: string[]) => void
}) {
  return (
    <ul className="rows" aria-label={label}>
      {rows.map((row) => {
        const { title, status, below = null, facts, select = null } = lines(row)
        const to = href?.(row) ?? null
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the link of the row takes the keys
          <li key={rowKey(row)} onClick={openRow} onAuxClick={openRow}>
            <div className="row-top">
              {select ??
                (bulk && choose ? <RowCheckbox {...{ bulk, row, chosen, choose }} name={rowKey(row)} /> : null)}
              {to === null ? (
                title
              ) : (
                <PageLink to={to} data-row-link>
                  {title}
                </PageLink>
              )}
              {status}
            </div>
            {below === null ? null : <div className="row-below">{below}</div>}
            <ShortTimeContext value={true}>
              <Facts facts={facts.filter((fact) => fact !== null && fact !== '')} />
            </ShortTimeContext>
          </li>
        )
      })}
    </ul>
  )
}

/** The largest number of facts that share one line of a phone. */
const FACTS_OF_LINE = 3

function Facts({ facts }: { facts: readonly ReactNode[] }) {
  return (
    <div className={`row-facts ${facts.length > FACTS_OF_LINE ? 'row-facts-many' : ''}`}>
      {facts.map((fact, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a row keep their places
        <span key={place}>{fact}</span>
      ))}
    </div>
  )
}

/** Gives the focus to the first element of the filters that takes it. A phone hides the folded fields, so they do not take it. */
function focusFilters(filters: Element | null | undefined): void {
  for (const field of filters?.querySelectorAll<HTMLElement>('button, input, select') ?? []) {
    field.focus()
    if (document.activeElement === field) return
  }
}

function Filters<Csv extends CallName>({
  filters,
  list,
  csv,
  read,
  first,
  wrong,
  waits = false,
  choice,
}: {
  filters: readonly ListFilter[]
  /** True while the first rows load. */
  waits?: boolean
  /** The message of each wrong filter, by the name of the filter. */
  wrong: Readonly<Record<string, string>>
  list: ReturnType<typeof useListQuery>
  csv?: { name: Csv; file: string; input?: Input<Csv> }
  read: { data: { pagination: { total_items: number } } | undefined }
  first?: ReactNode
  /** The choice of columns, which shares the line of the file. */
  choice: ReactNode
}) {
  const t = useTexts(partsTexts)
  // On a phone, the filters would hide the list, so they are closed at first. The button shows how many filters have a value.
  const [opened, setOpened] = useState(list.wrong)
  const active = Object.keys(list.active).length
  const rows = read.data?.pagination.total_items
  return (
    <Group gap={10} align="flex-start" className={`filters no-print ${opened ? '' : 'filters-closed'}`} role="search">
      {filters.length > 0 || first ? (
        <Button variant="default" className="filters-toggle" aria-expanded={opened} onClick={() => setOpened(!opened)}>
          {active === 0 ? t.filter : `${t.filter} (${active})`}
        </Button>
      ) : null}
      {first ? <div className="filters-first">{first}</div> : null}
      {filters.map((filter) => (
        <FilterField key={filter.name} filter={filter} list={list} wrong={wrong[filter.name]} />
      ))}
      {list.filtered ? (
        <Button
          variant="default"
          onClick={(event) => {
            // This button disappears.
            focusFilters(event.currentTarget.parentElement)
            list.clear()
          }}
        >
          {t.clear}
        </Button>
      ) : null}
      <Group gap="xs" className="filters-file">
        {csv && !list.wrong && (waits || rows !== undefined) ? (
          <CsvButton csv={csv} query={list.query} disabled={!rows} />
        ) : null}
        {choice}
      </Group>
    </Group>
  )
}

function FilterField({
  filter,
  list,
  wrong,
}: {
  filter: ListFilter
  list: ReturnType<typeof useListQuery>
  wrong: string | undefined
}) {
  const t = useTexts(partsTexts)
  const language = useLanguage()
  const check = checks(language)
  const [applied, setApplied] = useState<string | null>(null)
  const value = list.search[filter.name] ?? ''
  const [typed, setTyped] = useState(value)
  const [lastValue, setLastValue] = useState(value)
  // The values that this field has sent, and that the page has not shown yet. The last one is what the user wants now.
  const sent = useRef<string[]>([])
  // If another part of the page has changed the value in the address, for example the button that clears the filters, the field
  // shows the new value. A value that this field has sent may be older than the text.
  if (lastValue !== value) {
    setLastValue(value)
    const place = sent.current.indexOf(value)
    if (place < 0) setTyped(value)
    sent.current = place < 0 ? [] : sent.current.slice(place + 1)
  }
  if (value === sent.current.at(-1)) sent.current = []
  const problemOf = (text: string) => (filter.kind === 'phone' && text !== '' ? check.phoneFilter(text) : null)
  const send = (next: string) => {
    if (next === (sent.current.at(-1) ?? value) || problemOf(next) !== null) return
    sent.current = [...sent.current, next]
    list.set({ [filter.name]: next })
  }
  const apply = (next: string) => {
    setApplied(next)
    send(next)
  }
  // A pause may end after a newer value has reached the address, for example after the user has cleared the filters. The text of
  // that moment counts.
  const current = useRef({ send, apply, text: '' })
  current.current = { send, apply, text: typed.trim() }
  const later = useLater()
  const problem = (typed.trim() === (applied ?? value) ? problemOf(typed.trim()) : null) ?? wrong
  if (filter.kind === 'choice') {
    const data = [{ value: '', label: t.all }, ...filter.choices.map(([one, label]) => ({ value: one, label }))]
    return (
      <NativeSelect
        label={filter.label}
        {...(filter.named ? { className: 'filter-named' } : {})}
        data={data}
        value={value}
        error={wrong}
        onChange={(event) => apply(event.currentTarget.value)}
      />
    )
  }
  const day = filter.kind === 'day'
  const as_typed = filter.kind === 'text' && filter.as_typed === true
  const words = day ? dayInWords(typed, language) : null
  const hint = filter.kind === 'phone' ? t.phone_accepts : as_typed ? t.beginning_accepted : words
  // The first digits of a whole number could also be the last digits of another number.
  const follows = (text: string) => as_typed || (filter.kind === 'phone' && !/^(\+|0|255).{0,8}$/.test(text))
  return (
    <TextInput
      label={filter.label}
      type={day ? 'date' : 'search'}
      value={typed}
      error={problem}
      {...(hint && !problem ? { description: hint, inputWrapperOrder: ['label', 'input', 'description'] } : {})}
      onChange={(event) => {
        const next = event.currentTarget.value
        setTyped(next)
        // While the year is below 2000, the user is still typing. If the user empties the field, the list applies the change
        // when the field loses the focus.
        if (day && /^2\d{3}-\d{2}-\d{2}$/.test(next)) apply(next)
        if (follows(next.trim())) later(() => current.current.send(current.current.text))
      }}
      onBlur={() => later(() => current.current.apply(current.current.text))}
      onKeyDown={(event) => event.key === 'Enter' && apply(typed.trim())}
    />
  )
}

const LATER_MS = 300

/**
 * Returns a function that runs its argument after a pause, in place of an argument that still waits. While the user holds the
 * mouse button, the argument waits, because rows that move would lose the click. If the page closes, the argument does not run.
 */
function useLater(): (run: () => void) => void {
  const latest = useRef<() => void>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const is_down = useRef(false)
  useEffect(() => {
    const down = () => {
      is_down.current = true
    }
    const up = () => {
      is_down.current = false
    }
    addEventListener('pointerdown', down, true)
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, up, true)
    return () => {
      clearTimeout(timer.current)
      removeEventListener('pointerdown', down, true)
      for (const end of ['pointerup', 'pointercancel']) removeEventListener(end, up, true)
    }
  }, [])
  const start = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => (is_down.current ? start() : latest.current?.()), LATER_MS)
  }
  return (run) => {
    latest.current = run
    start()
  }
}

function CsvButton<Csv extends CallName>({
  csv,
  query,
  disabled,
}: {
  csv: { name: Csv; file: string; input?: Input<Csv> }
  query: Record<string, string | number>
  /** True while the first rows load, and if no record matches. */
  disabled: boolean
}) {
  const t = useTexts(partsTexts)
  const scope = useScope()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const downloadCsv = async () => {
    setBusy(true)
    setError(null)
    try {
      const { page: _page, page_size: _size, ...filters } = query
      const input = { ...csv.input, query: { ...csv.input?.query, ...filters } } as unknown as Input<Csv>
      await download(csv.name, withScope(scope, input), csv.file)
      showToast(t.csv_times)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button variant="default" disabled={disabled} loading={busy} onClick={() => void downloadCsv()}>
        {t.csv}
      </Button>
      <Problem error={error} retry={() => void downloadCsv()} />
    </>
  )
}

/** Shows the number of records of a list, and the buttons that turn its pages. `set` changes the page in the address. */
export function Pages({
  page,
  total_pages,
  total_items,
  set,
}: {
  page: number
  total_pages: number
  total_items: number
  set: (changes: Record<string, string>) => void
}) {
  const t = useTexts(partsTexts)
  return (
    <Group justify="space-between" component="nav" aria-label={t.page_of(showCount(page), showCount(total_pages))}>
      <Text size="sm">{t.total(showCount(total_items))}</Text>
      {total_pages > 1 ? (
        <Group gap="xs" wrap="nowrap">
          <Button
            variant="default"
            size="xs"
            flex="none"
            disabled={page <= 1}
            onClick={() => set({ page: String(page - 1) })}
          >
            {t.previous}
          </Button>
          <Text size="sm" ta="center">
            {t.page_of(showCount(page), showCount(total_pages))}
          </Text>
          <Button
            variant="default"
            size="xs"
            flex="none"
            disabled={page >= total_pages}
            onClick={() => set({ page: String(page + 1) })}
          >
            {t.next}
          </Button>
        </Group>
      ) : null}
    </Group>
  )
}

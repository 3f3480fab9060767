// Shows the audit log of the platform and of all merchants. A check of its hash chains finds changed entries.

import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { auditName, auditWords } from '../../ui/audit-words.ts'
import { useCall, useRead } from '../../ui/data.ts'
import { texts, useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Amount, EmptyState, Mono, Page, PageLink, PersonName, Time } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { showCount } from '../../ui/show.ts'
import { MERCHANT_FILTER, MerchantFilter } from '../merchant-filter.tsx'
import { Notice } from '../notice.tsx'
import { useDestinationName } from '../operator.ts'
import { useOperatorWords } from '../words.ts'
import { auditTargets } from './audit-targets.ts'

type AuditRow = Calls['GET /v1/operator/audit-log']['data']['items'][number]

const auditTexts = texts({
  sw: {
    title: 'Historia ya shughuli',
    lead: 'Nani alifanya nini na lini, na sababu kama ipo. Mnyororo wa alama unaunganisha kila rekodi na iliyotangulia, ili ukaguzi ugundue rekodi iliyobadilishwa.',
    time: 'Muda',
    actor: 'Nani',
    action: 'Tendo',
    target: 'Kitu',
    reason: 'Sababu',
    more: 'Kabla na baada',
    before: 'Kabla',
    after: 'Baada',
    request: 'Namba ya ombi',
    address: 'Anwani ya IP',
    target_id: 'Namba ya kitu',
    none: 'Bado hakuna shughuli',
    verify: 'Hakiki minyororo',
    verifying: (entries: string) => `Inahakiki… matendo ${entries} mpaka sasa`,
    good: (chains: string, entries: string) => `Minyororo ${chains} yenye matendo ${entries} ni mizima.`,
    bad: 'Mnyororo umevunjika. Usibadilishe chochote; mjulishe msimamizi wa mfumo.',
  },
  en: {
    title: 'Audit log',
    lead: 'Each action with its actor, its time and, if there is one, its reason. A hash chain links each entry to the previous entry, so that a check finds a changed entry.',
    time: 'Time',
    actor: 'Actor',
    action: 'Action',
    target: 'Target',
    reason: 'Reason',
    more: 'Before and after',
    before: 'Before',
    after: 'After',
    request: 'Request id',
    address: 'IP address',
    target_id: 'Target id',
    none: 'No entries yet',
    verify: 'Verify the chains',
    verifying: (entries: string) => `Verifying… ${entries} entries so far`,
    good: (chains: string, entries: string) => `${chains} chains with ${entries} entries are intact.`,
    bad: 'A chain is broken. Change nothing, and inform the administrator of this installation.',
  },
})

/** Shows the entries with filters for actor, action, target, day and merchant. */
export function Audit() {
  const t = useTexts(auditTexts)
  const parts = useTexts(partsTexts)
  const language = useLanguage()
  const actions = Object.entries(auditWords[language]).sort(([, one], [, other]) => one.localeCompare(other, language))
  const filters: ListFilter[] = [
    { name: 'actor', label: t.actor, kind: 'text' },
    { name: 'action', label: t.action, kind: 'choice', choices: actions, named: true },
    { name: 'target_id', label: t.target_id, kind: 'text' },
    { name: 'from', label: parts.from, kind: 'day', edge: 'from' },
    { name: 'to', label: parts.to, kind: 'day', edge: 'to' },
  ]
  const list = useListQuery([...filters, MERCHANT_FILTER])
  const read = useRead('GET /v1/operator/audit-log', { query: list.query }, { keep: true })
  return (
    <Page title={t.title} lead={t.lead}>
      <Verify />
      <List
        label={t.title}
        {...{ read, list, filters }}
        columns={useAuditColumns()}
        rowKey={(row) => `${row.merchant_id} ${row.seq}`}
        first={<MerchantFilter list={list} />}
        empty={<EmptyState title={t.none} />}
      />
    </Page>
  )
}

function useAuditColumns(): Column<AuditRow>[] {
  const t = useTexts(auditTexts)
  const words = useOperatorWords()
  return [
    { label: t.time, show: (row) => <Time time={row.at} /> },
    {
      label: t.actor,
      show: (row) => (
        <div>
          <PersonName name={row.actor.name} />
          <Text size="sm" c="dimmed">
            {words.actor(actorKind(row))}
          </Text>
        </div>
      ),
    },
    { label: t.action, show: (row) => <AuditAction row={row} /> },
    { label: t.target, show: (row) => <Target row={row} /> },
    { label: t.reason, show: (row) => row.reason ?? '–' },
  ]
}

/** Returns the kind of an actor. If the entry concerns no merchant, a user who is no operator is a `person`. */
function actorKind({ actor, actor_is_operator, merchant_id }: AuditRow): string {
  if (actor_is_operator) return 'operator'
  return actor.kind === 'user' && merchant_id === null ? 'person' : actor.kind
}

/** The path of the page of a record, by the type that an entry names. */
const PAGES: Record<string, string> = {
  collection: 'payments',
  withdrawal: 'withdrawals',
  merchant: 'merchants',
}

/** Shows the name of an action in words. Below the words, shows its code for filters and searches. */
function AuditAction({ row }: { row: AuditRow }) {
  const words = auditName(row.action, row.actor.kind, useLanguage())
  return (
    <div>
      {words ?? row.action}
      {words === undefined ? null : (
        <Text size="sm" c="dimmed" component="div">
          <Mono>{row.action}</Mono>
        </Text>
      )}
    </div>
  )
}

function Target({ row }: { row: AuditRow }) {
  const t = useTexts(auditTexts)
  const kind = useTexts(auditTargets)[row.target_type]
  const page = PAGES[row.target_type]
  const id = <Mono>{row.target_id}</Mono>
  const lines = [
    [t.before, row.before],
    [t.after, row.after],
  ] as const
  return (
    <div>
      {kind ?? row.target_type} {page === undefined ? id : <PageLink to={`${page}/${row.target_id}`}>{id}</PageLink>}
      <Money row={row} />
      <details className="disclosed">
        <summary>{t.more}</summary>
        {lines.map(([label, value]) =>
          value === null || value === undefined ? null : (
            <div key={label}>
              <Text size="sm">{label}</Text>
              <pre className="body">{JSON.stringify(value, null, 2)}</pre>
            </div>
          ),
        )}
        <Text size="sm">
          {t.request}: <Mono>{row.request_id ?? '–'}</Mono>
        </Text>
        <Text size="sm">
          {t.address}: <Mono>{row.address ?? '–'}</Mono>
        </Text>
      </details>
    </div>
  )
}

/**
 * Shows the amount and the recipient that an entry about money has, with a masked number. A debit has a minus sign. The first
 * of two decisions shows nothing, because it records the total with the fees.
 */
function Money({ row }: { row: AuditRow }) {
  const nameOf = useDestinationName()
  const facts = { ...textsOf(row.before), ...textsOf(row.after) }
  const { currency = 'TZS', destination_code, destination_identifier, direction } = facts
  const amount = facts.amount_received ?? facts.amount
  if (amount === undefined || row.action === 'decision.first_approve') return null
  return (
    <div>
      {direction === 'debit' ? '−' : null}
      <Amount value={amount} currency={currency} />
      {destination_code === undefined ? null : ` · ${nameOf(destination_code)} `}
      <span className="whole">{destination_identifier}</span>
    </div>
  )
}

/** Returns the fields of a record that are texts. */
function textsOf(record: unknown): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([, value]) => typeof value === 'string'))
}

/**
 * Shows a button that verifies all hash chains. The page verifies them in parts, because a long chain takes much time.
 */
function Verify() {
  const t = useTexts(auditTexts)
  const call = useCall()
  const [notice, setNotice] = useState<string | null>(null)
  const [broken, setBroken] = useState<readonly string[]>([])
  const [so_far, setSoFar] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const verify = async () => {
    setNotice(null)
    setError(null)
    setBroken([])
    let [chains, entries, after] = [0, 0, undefined as string | undefined]
    const problems: string[] = []
    try {
      do {
        setSoFar(entries)
        const part = await call('GET /v1/operator/audit-log/verify', { query: after === undefined ? {} : { after } })
        chains += part.chains
        entries += part.entries
        problems.push(...part.problems)
        after = part.next ?? undefined
      } while (after !== undefined)
      setBroken(problems)
      setNotice(problems.length === 0 ? t.good(showCount(chains), showCount(entries)) : t.bad)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setSoFar(null)
    }
  }
  return (
    <div>
      <Group gap="sm">
        <Button variant="default" loading={so_far !== null} onClick={() => void verify()}>
          {t.verify}
        </Button>
        <Text size="sm" role="status">
          {so_far === null ? '' : t.verifying(showCount(so_far))}
        </Text>
      </Group>
      <Notice text={notice} />
      {broken.length > 0 ? <pre className="body">{broken.join('\n')}</pre> : null}
      <Problem error={error} retry={() => void verify()} />
    </div>
  )
}

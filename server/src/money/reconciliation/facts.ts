// What is known of a set of subjects: what our books say, which lines are stored, which cases are open. One statement.

import { type Reader, sql } from '../../kernel/db/index.ts'
import type { CaseKind, Ours, Stated } from './judge.ts'
import { namedBy } from './subject.ts'

/** A subject to look up: the reference of ours that names it, or its own text where none does. */
export type Subject = { subject: string; reference: string | null }

/** The subject of a reference that is, or looks like, ours. */
export function subjectOfReference(reference: string): Subject {
  return { subject: namedBy(reference) === null ? `ref:${reference}` : reference, reference }
}

/** What is known of a subject. */
export type Facts = {
  merchant_id: string | null
  ours: Ours | null
  /** What is stored of it, by other lines than `own` of this statement. */
  lines: Stated[]
  open: CaseKind[]
}

type Row = {
  n: number
  merchant_id: string | null
  c_status: string | null
  c_amount: bigint | null
  c_received: bigint | null
  c_currency: string | null
  /** What the provider took in another currency. */
  c_foreign: bigint | null
  c_foreign_currency: string | null
  c_at: Date | null
  /** Money of the payment is booked, and another attempt took it. */
  c_by_other: boolean | null
  c_given_up: boolean | null
  w_status: string | null
  w_funds: string | null
  w_amount: bigint | null
  w_charge: bigint | null
  w_currency: string | null
  w_at: Date | null
  lines: StoredLine[] | null
  open: CaseKind[] | null
}
type StoredLine = Omit<Stated, 'amount_minor' | 'at'> & { amount_minor: string; at: string }

// As arrays, which are read several times faster than JSON; the condition is that of inputRows.
const INPUT = `(select * from unnest($1::text[], $4::bigint[], $5::uuid[], $6::smallint[], $7::int[]) with ordinality
       as input(subject, routing_code, id, number, line_number, n)
     where coalesce(input.subject, input.subject) = input.subject)`

// Every row is found by its whole key. What an attempt took beside another one is in a collection of its own. A line that the
// caller has in hand is left out: it is known.
const FACTS = sql(
  'reconciliation_facts',
  `select i.n::int, m.id as merchant_id, c.*, w.*, l.lines, k.open
   from ${INPUT} i
   left join lateral (select id from merchants where routing_code = i.routing_code offset 0) m on true
   left join lateral (
     select c.status as c_status, c.amount_minor as c_amount, c.amount_received_minor as c_received,
       c.currency as c_currency, c.foreign_amount_minor as c_foreign, c.foreign_currency as c_foreign_currency, c.updated_at as c_at, a.state in ('final', 'given_up') as c_given_up,
       a.extra_collection_id is null and (c.amount_received_minor is not null or c.foreign_currency is not null)
         and a.number <> coalesce(c.settled_attempt, 1) as c_by_other
     from collection_attempts a
     join collections c on c.merchant_id = a.merchant_id and c.id = coalesce(a.extra_collection_id, a.collection_id)
     where i.number is not null and a.merchant_id = m.id and a.collection_id = i.id and a.number = i.number
       and a.provider = $2 offset 0
   ) c on true
   left join lateral (
     select w.status as w_status, w.funds as w_funds, w.amount_minor as w_amount, w.currency as w_currency,
       w.processor_charge_minor as w_charge, w.updated_at as w_at
     from payouts p join withdrawals w on w.merchant_id = p.merchant_id and w.id = p.withdrawal_id
     where i.number is null and p.merchant_id = m.id and p.withdrawal_id = i.id and p.provider = $2 offset 0
   ) w on true
   cross join lateral (
     select json_agg(json_build_object('kind', l.kind, 'statement_id', l.statement_id, 'line_number', l.line_number,
       'reference', l.reference, 'provider_id', l.provider_id, 'amount_minor', l.amount_minor::text,
       'currency', l.currency, 'at', l.at)) as lines
     from statement_lines l where l.provider = $2 and l.subject = i.subject
       and (l.line_number <> i.line_number or l.statement_id <> $3)
   ) l
   cross join lateral (
     select array_agg(e.kind) as open from reconciliation_exceptions e
     where e.provider = $2 and e.subject = i.subject and e.resolution is null
   ) k`,
)

/** A statement that no line is of. */
const NONE = '00000000-0000-0000-0000-000000000000'

/**
 * What is known of subjects with one provider, in their order. `own`: for each of them the line of this statement that
 * the caller has in hand.
 */
export async function factsOf(
  reader: Reader,
  provider: string,
  subjects: readonly Subject[],
  own: { statement_id: string; lines: readonly number[] } | null = null,
): Promise<Facts[]> {
  const named = subjects.map(({ reference }) => namedBy(reference))
  const rows = await reader.query<Row>(FACTS, [
    subjects.map(({ subject }) => subject),
    provider,
    own?.statement_id ?? NONE,
    named.map((one) => one?.routing_code ?? null),
    named.map((one) => one?.id ?? null),
    named.map((one) => one?.number ?? null),
    own?.lines ?? subjects.map(() => -1),
  ])
  const facts = subjects.map((): Facts => ({ merchant_id: null, ours: null, lines: [], open: [] }))
  for (const row of rows) {
    facts[row.n - 1] = {
      merchant_id: row.merchant_id,
      ours: oursOf(row),
      lines: (row.lines ?? []).map(storedLine),
      open: row.open ?? [],
    }
  }
  return facts
}

function storedLine(line: StoredLine): Stated {
  return { ...line, amount_minor: BigInt(line.amount_minor), at: new Date(line.at) }
}

/** An attempt of a payment that another attempt paid: it took nothing. */
function nothingOf(row: Row, status: string): Ours {
  return {
    flow: 'payment',
    status,
    moved: false,
    returned: false,
    ended: row.c_given_up === true,
    amount_minor: row.c_amount as bigint,
    currency: row.c_currency as string,
    charge_minor: null,
    at: row.c_at,
  }
}

function oursOf(row: Row): Ours | null {
  if (row.c_status !== null) {
    const status = row.c_status
    if (row.c_by_other) return nothingOf(row, status)
    // Money that an operator declined after a review was received, and is to be given back.
    const declined = status === 'failed' && (row.c_received !== null || row.c_foreign !== null)
    return {
      flow: 'payment',
      status,
      moved: declined || status === 'successful' || status === 'pending_clearance' || status === 'reversed',
      returned: declined || status === 'reversed',
      ended: status === 'failed',
      // The provider's statement tells what it took, not what an operator stated of its worth.
      amount_minor: row.c_foreign ?? row.c_received ?? (row.c_amount as bigint),
      currency: row.c_foreign_currency ?? (row.c_currency as string),
      charge_minor: null,
      at: row.c_at,
    }
  }
  if (row.w_status === null) return null
  return {
    flow: 'payout',
    status: row.w_status,
    moved: row.w_funds === 'paid' || row.w_funds === 'returned',
    returned: row.w_funds === 'returned',
    ended: row.w_status === 'FAILED',
    amount_minor: row.w_amount as bigint,
    currency: row.w_currency as string,
    charge_minor: row.w_charge,
    at: row.w_at,
  }
}

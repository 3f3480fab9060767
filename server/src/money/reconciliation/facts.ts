// Reads the facts about a batch of payments, payouts and unknown references in one query: our books, the stored lines and the open
// cases.

import { type Reader, sql } from '../../kernel/db/index.ts'
import type { BookedMovement, CaseKind, StoredLine } from './compare.ts'
import { parseOwnReference } from './subject.ts'

/**
 * A subject is an attempt of a payment, a payout, or a reference or id of the provider. Null in `reference` means that the
 * subject is not ours.
 */
export type LineSubject = { subject: string; reference: string | null }

/**
 * Returns the subject of a reference. Each attempt of a payment is a separate subject, because each attempt may take money. A
 * text in the form of our references is a subject even if our books have no such payment.
 */
export function subjectOfReference(reference: string): LineSubject {
  return { subject: parseOwnReference(reference) === null ? `ref:${reference}` : reference, reference }
}

/** The facts about a payment, a payout or an unknown reference. */
export type SubjectFacts = {
  merchant_id: string | null
  ours: BookedMovement | null
  /** The stored lines about the subject, without the lines that the caller of `readFacts` stores at the same time. */
  lines: StoredLine[]
  open: CaseKind[]
}

type SubjectFactsRow = {
  n: number
  merchant_id: string | null
  c_status: string | null
  c_amount: bigint | null
  c_received: bigint | null
  c_currency: string | null
  /** The amount in hundredths that the provider received in another currency. Null means that no such money arrived. */
  c_foreign: bigint | null
  c_foreign_currency: string | null
  c_at: Date | null
  /**
   * True means that another attempt brought the booked money of the payment. Null means that our books have no such payment.
   */
  c_by_other: boolean | null
  c_given_up: boolean | null
  w_status: string | null
  w_funds: string | null
  w_amount: bigint | null
  w_charge: bigint | null
  w_currency: string | null
  w_at: Date | null
  lines: StoredLineJson[] | null
  open: CaseKind[] | null
}
type StoredLineJson = Omit<StoredLine, 'amount_minor' | 'at'> & { amount_minor: string; at: string }

// PostgreSQL reads arrays several times faster than JSON. The condition makes the planner expect one row, as in inputRows.
const INPUT = `(select * from unnest($1::text[], $4::bigint[], $5::uuid[], $6::smallint[], $7::int[]) with ordinality
       as input(subject, routing_code, id, number, line_number, n)
     where coalesce(input.subject, input.subject) = input.subject)`

// The query finds each row by an index and excludes the lines of the caller. A duplicate payment of an attempt has a separate
// collection.
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

/** An id that no statement has. */
const NO_STATEMENT = '00000000-0000-0000-0000-000000000000'

/**
 * Returns the facts about subjects at one provider, in the order of `subjects`. For each subject, `own` has the line that the
 * caller stores at the same time.
 */
export async function readFacts(
  reader: Reader,
  provider: string,
  subjects: readonly LineSubject[],
  own: { statement_id: string; lines: readonly number[] } | null = null,
): Promise<SubjectFacts[]> {
  const parsed = subjects.map(({ reference }) => parseOwnReference(reference))
  const rows = await reader.query<SubjectFactsRow>(FACTS, [
    subjects.map(({ subject }) => subject),
    provider,
    own?.statement_id ?? NO_STATEMENT,
    parsed.map((own_reference) => own_reference?.routing_code ?? null),
    parsed.map((own_reference) => own_reference?.id ?? null),
    parsed.map((own_reference) => own_reference?.number ?? null),
    own?.lines ?? subjects.map(() => -1),
  ])
  const facts = subjects.map((): SubjectFacts => ({ merchant_id: null, ours: null, lines: [], open: [] }))
  for (const row of rows) {
    facts[row.n - 1] = {
      merchant_id: row.merchant_id,
      ours: bookedMovement(row),
      lines: (row.lines ?? []).map(storedLineFromJson),
      open: row.open ?? [],
    }
  }
  return facts
}

function storedLineFromJson(line: StoredLineJson): StoredLine {
  return { ...line, amount_minor: BigInt(line.amount_minor), at: new Date(line.at) }
}

/** Returns the facts of an attempt that took no money because another attempt paid the payment. */
function unpaidAttempt(row: SubjectFactsRow, status: string): BookedMovement {
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

/** Returns the payment or payout in our books. Null means that our books have no such payment or payout. */
function bookedMovement(row: SubjectFactsRow): BookedMovement | null {
  if (row.c_status !== null) {
    const status = row.c_status
    if (row.c_by_other) return unpaidAttempt(row, status)
    // If an operator declined held money, the provider received the money and must return it to the payer.
    const is_declined = status === 'failed' && (row.c_received !== null || row.c_foreign !== null)
    return {
      flow: 'payment',
      status,
      moved: is_declined || status === 'successful' || status === 'pending_clearance' || status === 'reversed',
      returned: is_declined || status === 'reversed',
      ended: status === 'failed',
      // The provider states the received amount in its currency, and not the worth in shillings that an operator stated.
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

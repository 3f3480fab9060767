// Runs the command `erase payer`, which replaces the phone number of one person and removes the name. The audit log and
// `metadata` do not change. Amounts, statuses and references stay, so the books still verify.

import { PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { createDb, type Deps, inTransaction, type Reader, type Statement, sql, type Tx } from '../../kernel/db/index.ts'
import { erasedPhone, maskPhone, refuse } from '../../kernel/lib/index.ts'
import { OPEN_STATUSES } from '../../money/withdrawals/index.ts'
import { COMMAND_ACT } from './act.ts'

const OPEN = sql(
  'erase_open',
  `select (select count(*) from collection_attempts a where a.phone = $1 and a.state in ('to_send', 'asked'))
     + (select count(*) from collections c where c.customer_phone = $1 and c.status in ('processing', 'pending_clearance')) as payments,
     (select count(*) from withdrawals w where w.destination_identifier = $1 and w.method <> 'BANK_ACCOUNT'
       and w.status = any($2)) as withdrawals`,
)

/** A step that changes the rows of one table. `use` lists the values that are the parameters of `statement`. */
type EraseStep = { table: string; statement: Statement; use: readonly (keyof EraseValues)[] }

type EraseValues = {
  phone: string
  /** The text that replaces the phone number. The first digits stay, because totals count payments by network. */
  pseudonym: string
  /** The nine digits that every form of the phone number contains. */
  digits: string
  /** A regular expression that matches each form of the phone number, unless the form is part of a longer word. */
  forms: string
  /** A regular expression that matches JSON fields with the name or e-mail address of a payer or recipient. */
  names: string
}

// The inner expression removes names and e-mail addresses. The outer expression then replaces the phone number.
const cleaned = (column: string) => `regexp_replace(regexp_replace(${column}, $4, '"\\1":null', 'g'), $2, $3, 'g')`
const BODY = ['digits', 'forms', 'pseudonym', 'names'] as const

/** The steps that find rows by a column with the phone number. */
const RECORD_STEPS: readonly EraseStep[] = [
  {
    table: 'collections',
    statement: sql(
      'erase_collections',
      `update collections set customer_phone = $2, customer_name = null, customer_email = null where customer_phone = $1
       returning id`,
    ),
    use: ['phone', 'pseudonym'],
  },
  {
    table: 'collection_attempts',
    statement: sql(
      'erase_attempts',
      'update collection_attempts set phone = $2 where phone = $1 returning collection_id as id',
    ),
    use: ['phone', 'pseudonym'],
  },
  {
    table: 'payment_links',
    statement: sql(
      'erase_links',
      `update payment_links set customer_phone = null, customer_name = null, customer_email = null where customer_phone = $1
       returning id`,
    ),
    use: ['phone'],
  },
  {
    table: 'invoices',
    statement: sql(
      'erase_invoices',
      `update invoices set customer_phone = null, customer_name = $2, customer_email = null where customer_phone = $1
       returning id`,
    ),
    use: ['phone', 'pseudonym'],
  },
  {
    table: 'withdrawals',
    statement: sql(
      'erase_withdrawals',
      `update withdrawals set destination_identifier = $2, destination_name = null
       where destination_identifier = $1 and method <> 'BANK_ACCOUNT' returning id`,
    ),
    use: ['phone', 'pseudonym'],
  },
  {
    table: 'saved_recipients',
    statement: sql(
      'erase_recipients',
      "delete from saved_recipients where destination_identifier = $1 and method <> 'BANK_ACCOUNT' returning id",
    ),
    use: ['phone'],
  },
  {
    table: 'payouts',
    statement: sql(
      'erase_payouts',
      `update payouts set destination_identifier = $2, destination_name = null
       where destination_identifier = $1 and method <> 'BANK_ACCOUNT' returning withdrawal_id as id`,
    ),
    use: ['phone', 'pseudonym'],
  },
  {
    // Several persons can have the same pseudonym. The step adds their sums of a day, because verify adds their payouts too.
    table: 'four_eyes_sums',
    statement: sql(
      'erase_sums',
      `with gone as (
         delete from four_eyes_sums where kind = 'destination' and subject = $1 returning environment, day, total_minor)
       insert into four_eyes_sums as s (merchant_id, environment, kind, subject, day, total_minor)
       select '00000000-0000-0000-0000-000000000000', environment, 'destination', $2, day, total_minor from gone
       on conflict (merchant_id, environment, kind, subject, day) do update set total_minor = s.total_minor + excluded.total_minor
       returning merchant_id as id`,
    ),
    use: ['phone', 'pseudonym'],
  },
]

/** The steps that find rows by the phone number in a text. */
const TEXT_STEPS: readonly EraseStep[] = [
  {
    table: 'idempotency_keys',
    statement: sql(
      'erase_answers',
      `update idempotency_keys set response_body = ${cleaned('response_body')}
       where response_body like '%' || $1 || '%' and response_body ~ $2 returning 1 as id`,
    ),
    use: BODY,
  },
  {
    table: 'webhook_deliveries',
    statement: sql(
      'erase_deliveries',
      `update webhook_deliveries set body = ${cleaned('body')}
       where body like '%' || $1 || '%' and body ~ $2 returning 1 as id`,
    ),
    use: BODY,
  },
  {
    table: 'unsent_events',
    statement: sql(
      'erase_unsent_events',
      `update unsent_events set body = ${cleaned('body')}
       where body like '%' || $1 || '%' and body ~ $2 returning 1 as id`,
    ),
    use: BODY,
  },
  {
    table: 'webhook_attempts',
    statement: sql(
      'erase_webhook_attempts',
      `update webhook_attempts set response_body = ${cleaned('response_body')}
       where response_body like '%' || $1 || '%' and response_body ~ $2 returning 1 as id`,
    ),
    use: BODY,
  },
  {
    table: 'provider_callbacks',
    statement: sql(
      'erase_callbacks',
      `update provider_callbacks set body = ${cleaned('body')}
       where body like '%' || $1 || '%' and body ~ $2 returning 1 as id`,
    ),
    use: BODY,
  },
]

// A stored answer of a name check has neither the number nor the withdrawal, but its name is in the audit log. The audit log
// stores JSON texts, so a name has the same characters in both.
const CHECKED_NAMES = sql(
  'erase_checked_names',
  `select distinct (after::json -> 'name')::text as name from audit_log
   where action = 'withdrawal.name_check' and target_id = any($1::text[]) and after::json ->> 'name' is not null`,
)
const CHECKED_ANSWERS = sql(
  'erase_checked_answers',
  `update idempotency_keys set response_body = replace(response_body, '"name":' || $1, '"name":null')
   where response_body like '%"checked_at":%' and position('"name":' || $1 in response_body) > 0 returning 1 as id`,
)

// Even the owner may not change this append-only table. The transaction grants and revokes the privilege, so no other
// connection can use it.
const OPEN_ATTEMPTS = sql('erase_grant', 'grant update on webhook_attempts to current_user')
const CLOSE_ATTEMPTS = sql('erase_revoke', 'revoke update on webhook_attempts from current_user')

const MESSAGES = sql(
  'erase_messages',
  'delete from outbox_messages where recipient = $1 or invoice_id = any($2::uuid[]) returning 1 as id',
)
const PACKS = sql(
  'erase_packs',
  `delete from request_packs p using requests r
   where r.resource_id = any($1::uuid[]) and p.merchant_id = r.merchant_id and p.id = r.pack_id returning 1 as id`,
)
const IN_AUDIT_LOG = sql(
  'erase_left_in_audit_log',
  `select count(*) as entries from audit_log
   where concat_ws(' ', reason, before, after) like '%' || $1 || '%' and concat_ws(' ', reason, before, after) ~ $2`,
)

/**
 * The masked phone number, the pseudonym, and the changed rows by table. `left_in_audit_log` counts the audit entries that
 * still contain the number.
 */
export type Erasure = { phone: string; pseudonym: string; changed: Record<string, number>; left_in_audit_log: number }

/**
 * Erases the person with a canonical phone number in one transaction. The audit entry has only the masked number. If no new
 * record has the number, a repeated call only writes another audit entry. If a payment or withdrawal of the person is open,
 * refuses with invalid_state.
 */
export async function erasePayer(deps: Deps, url: string, phone: string): Promise<Erasure> {
  // The statements read whole tables, which takes longer than the statement timeout of the server.
  const db = createDb({ url, max_connections: 1, application_name: 'malipo-erase', reporting: true })
  try {
    return await inTransaction(db, async (tx) => {
      await requireClosed(tx, phone)
      const values = valuesOf(phone)
      const changed = await eraseRows(tx, values)
      const [left] = await tx.query<{ entries: bigint }>(IN_AUDIT_LOG, [values.digits, values.forms])
      const left_in_audit_log = Number(left?.entries ?? 0)
      await recordAudit(deps, tx, {
        ...COMMAND_ACT,
        merchant_id: PLATFORM,
        action: 'payer.erase',
        target_type: 'payer',
        target_id: maskPhone(phone),
        after: { changed, left_in_audit_log },
      })
      return { phone: maskPhone(phone), pseudonym: values.pseudonym, changed, left_in_audit_log }
    })
  } finally {
    await db.close()
  }
}

/** Returns the pseudonym and the search patterns for a phone number. */
function valuesOf(phone: string): EraseValues {
  const digits = phone.slice(3)
  return {
    phone,
    pseudonym: erasedPhone(phone),
    digits,
    forms: `(?<![[:alnum:]-])(?:\\+?255|0)?${digits}(?![[:alnum:]])`,
    names: '"(customer_name|customer_email|destination_name)"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*"',
  }
}

async function requireClosed(reader: Reader, phone: string): Promise<void> {
  const [open] = await reader.query<{ payments: bigint; withdrawals: bigint }>(OPEN, [phone, OPEN_STATUSES])
  const payments = Number(open?.payments ?? 0)
  const withdrawals = Number(open?.withdrawals ?? 0)
  if (payments + withdrawals === 0) return
  refuse('invalid_state', {
    message: `This person has open payments (${payments}) or withdrawals (${withdrawals}), which need the phone number. Wait for their outcome, or decide about them, then run the command again.`,
    details: { payments, withdrawals },
  })
}

async function eraseRows(tx: Tx, values: EraseValues): Promise<Record<string, number>> {
  const changed: Record<string, number> = {}
  const ids: Record<string, string[]> = {}
  const run = async (table: string, statement: Statement, parameters: readonly unknown[]) => {
    const rows = await tx.query<{ id: string }>(statement, parameters)
    changed[table] = rows.length
    ids[table] = rows.map(({ id }) => id)
  }
  for (const { table, statement, use } of RECORD_STEPS)
    await run(
      table,
      statement,
      use.map((name) => values[name]),
    )
  const records = [...new Set(Object.values(ids).flat())]
  await run('outbox_messages', MESSAGES, [values.phone, ids.invoices ?? []])
  await run('request_packs', PACKS, [records])
  await tx.query(OPEN_ATTEMPTS)
  for (const { table, statement, use } of TEXT_STEPS)
    await run(
      table,
      statement,
      use.map((name) => values[name]),
    )
  await tx.query(CLOSE_ATTEMPTS)
  const answers = await eraseCheckedNames(tx, ids.withdrawals ?? [])
  return { ...changed, idempotency_keys: (changed.idempotency_keys ?? 0) + answers }
}

/**
 * Removes the names that providers reported for the recipient of these withdrawals from the stored answers of name checks and of
 * batch approvals. Returns the number of changed answers. An equal name of another recipient also becomes null.
 */
async function eraseCheckedNames(tx: Tx, withdrawal_ids: readonly string[]): Promise<number> {
  let changed = 0
  for (const { name } of await tx.query<{ name: string }>(CHECKED_NAMES, [withdrawal_ids])) {
    changed += (await tx.query(CHECKED_ANSWERS, [name])).length
  }
  return changed
}

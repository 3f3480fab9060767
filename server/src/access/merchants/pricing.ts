// Reads and replaces the price list of a merchant.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { findDestination, formatAmount, newId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'
import type { Flow } from './choose-rule.ts'
import { refuseConflict } from './conflict.ts'
import { getMerchant } from './list.ts'
import { formatPercentage, type Rule } from './read-rules.ts'
import type { RuleView } from './schema.ts'

/** A price rule without an end. `valid_from` is the time of its start. */
export type RuleInForce = Rule & { id: string; valid_from: Date }

const IN_FORCE = sql(
  'pricing_in_force',
  `select id, flow, method, destination_code, percentage_hundredths, flat_fee_minor, processor_charge_minor,
     processor_fee_pass_through, label, valid_from
   from pricing_rules where merchant_id = $1 and valid_until is null
   order by flow desc, destination_code nulls last, method nulls last`,
)

/**
 * Returns the price rules of a merchant in force, sorted by flow. In a flow, rules with a destination come first, then rules
 * with only a method, then the other rules.
 */
export async function rulesInForce(reader: Reader, merchant_id: string): Promise<RuleInForce[]> {
  return (await reader.query<RuleInForce>(IN_FORCE, [merchant_id])).map(withCode)
}

/** Replaces an old alias of a destination with its code. */
function withCode<Line extends Rule>(rule: Line): Line {
  const { destination_code: name } = rule
  return name === null ? rule : { ...rule, destination_code: findDestination(name)?.code ?? name }
}

const FOR_ALL = sql(
  'pricing_for_all',
  `select merchant_id, flow, method, destination_code, percentage_hundredths, flat_fee_minor, processor_charge_minor,
     processor_fee_pass_through, label
   from pricing_rules where merchant_id = any($1) and flow = $2 and valid_until is null`,
)

/**
 * Returns the price rules in force for one flow, by merchant id. If a merchant has no rule, the Map has no entry for the
 * merchant.
 */
export async function rulesForAll(
  reader: Reader,
  flow: Flow,
  merchant_ids: readonly string[],
): Promise<Map<string, Rule[]>> {
  const rows = await reader.query<Rule & { merchant_id: string }>(FOR_ALL, [merchant_ids, flow])
  const lists = new Map<string, Rule[]>()
  for (const row of rows.map(withCode)) {
    const list = lists.get(row.merchant_id)
    if (list === undefined) lists.set(row.merchant_id, [row])
    else list.push(row)
  }
  return lists
}

/** Returns the price list in force in the form of the API. If the merchant is unknown, refuses with not_found. */
export async function getPricing(reader: Reader, merchant_id: string): Promise<RuleView[]> {
  const { id } = await getMerchant(reader, merchant_id)
  return (await rulesInForce(reader, id)).map(presentRule)
}

// With this lock, concurrent changes wait for each other, so that only the newest price list is in force. FOR NO KEY UPDATE
// lets other transactions insert rows that reference the merchant.
const LOCK = sql('pricing_lock', 'select id from merchants where id = $1 for no key update')
const CLOSE = sql(
  'pricing_close',
  'update pricing_rules set valid_until = $2 where merchant_id = $1 and valid_until is null',
)
const INSERT = sql(
  'pricing_insert',
  `insert into pricing_rules (merchant_id, id, flow, method, destination_code, percentage_hundredths, flat_fee_minor,
     processor_charge_minor, processor_fee_pass_through, label, valid_from, valid_until)
   select $1, x.id, x.flow, x.method, x.destination_code, x.percentage_hundredths, x.flat_fee_minor,
     x.processor_charge_minor, x.processor_fee_pass_through, x.label, $3, null
   from json_to_recordset($2::json) as x(id uuid, flow text, method text, destination_code text, percentage_hundredths int,
     flat_fee_minor bigint, processor_charge_minor bigint, processor_fee_pass_through boolean, label text)`,
)

/**
 * Replaces the price list. The server keeps the old rules with their end time, and accepted payments keep their charges. A
 * merchant without a price for withdrawals cannot create live keys. Errors: not_found for an unknown merchant, and
 * conflict_of_interest.
 */
export async function replacePricing(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; rules: readonly Rule[] },
): Promise<RuleView[]> {
  const { id } = await getMerchant(tx, input.merchant_id)
  await refuseConflict(tx, { merchant_id: id, act })
  const locked = await tx.query(LOCK, [id])
  if (locked.length === 0) refuse('not_found')
  const before = await getPricing(tx, id)
  const now = deps.clock.now()
  await tx.query(CLOSE, [id, now])
  const routing_code = routingCodeOf(id)
  const rows = input.rules.map(({ flat_fee_minor, processor_charge_minor, ...rest }) => ({
    ...rest,
    id: newId(deps, routing_code),
    flat_fee_minor: String(flat_fee_minor),
    processor_charge_minor: String(processor_charge_minor),
  }))
  await tx.query(INSERT, [id, JSON.stringify(rows), now])
  const after = await getPricing(tx, id)
  await recordAudit(deps, tx, {
    ...act,
    merchant_id: id,
    action: 'merchant.price',
    target_type: 'merchant',
    target_id: id,
    before: { rules: before },
    after: { rules: after },
  })
  return after
}

function presentRule(rule: RuleInForce): RuleView {
  return {
    id: rule.id,
    flow: rule.flow,
    method: rule.method,
    destination_code: rule.destination_code,
    destination_known: rule.destination_code === null || findDestination(rule.destination_code) !== null,
    percentage: formatPercentage(rule.percentage_hundredths),
    flat_fee: formatAmount(rule.flat_fee_minor),
    processor_charge: formatAmount(rule.processor_charge_minor),
    processor_fee_pass_through: rule.processor_fee_pass_through,
    label: rule.label,
    valid_from: rule.valid_from.toISOString(),
  }
}

// Validates a price list from an operator.

import { type AmountProblem, DESTINATIONS, findDestination, parseFee, refuse } from '../../kernel/lib/index.ts'
import { FLOW_METHODS, type RuleScope } from './choose-rule.ts'
import type { RuleInput } from './schema.ts'

/** A valid price rule. The percentage is in hundredths of a percent, and amounts are in cents. */
export type Rule = RuleScope & {
  percentage_hundredths: number
  flat_fee_minor: bigint
  processor_charge_minor: bigint
  processor_fee_pass_through: boolean
  label: string
}

type RuleProblem = { field: string; message: string }

/**
 * Checks the conditions that the schema cannot express, and replaces each destination with its code. If rules are wrong,
 * refuses with one 400 error. The error names each wrong field by the index of its rule.
 */
export function readRules(inputs: readonly RuleInput[]): Rule[] {
  const problems: RuleProblem[] = []
  const rules = inputs.map((input, i) =>
    readRule(input, (name, message) => {
      problems.push({ field: `rules.${i}${name && `.${name}`}`, message })
    }),
  )
  const first = new Map<string, number>()
  for (const [i, { flow, method, destination_code }] of rules.entries()) {
    // A destination has only one method, so the scope of a rule with a destination does not include the method.
    const scope = JSON.stringify([flow, destination_code === null ? method : null, destination_code])
    const before = first.get(scope)
    if (before === undefined) first.set(scope, i)
    else problems.push({ field: `rules.${i}`, message: `applies to the same payments or payouts as rules.${before}` })
  }
  if (problems.length > 0) refuse('validation_failed', { details: { fields: problems } })
  return rules
}

function readRule(input: RuleInput, wrong: (name: string, message: string) => void): Rule {
  const { flow, method = null } = input
  if (method !== null && !FLOW_METHODS[flow].includes(method)) {
    wrong('method', `must be null or one of ${FLOW_METHODS[flow].join(', ')} for a ${flow}`)
  }
  const destination_code = readDestination(input, (message) => wrong('destination_code', message))
  const percentage_hundredths = parsePercentage(input.percentage ?? '0')
  if (percentage_hundredths === null) {
    wrong('percentage', 'must be a percentage from "0" to "100" such as "1.50", with at most two decimals')
  }
  const money = (name: 'flat_fee' | 'processor_charge'): bigint => {
    const minor = parseFee(input[name] ?? '0')
    if (typeof minor === 'bigint') return minor
    wrong(name, FEE_HELP[minor])
    return 0n
  }
  return {
    flow,
    method,
    destination_code,
    percentage_hundredths: percentage_hundredths ?? 0,
    flat_fee_minor: money('flat_fee'),
    processor_charge_minor: money('processor_charge'),
    processor_fee_pass_through: input.processor_fee_pass_through ?? false,
    label: input.label ?? '',
  }
}

/**
 * Returns the destination code of a rule, which names the destination by code or alias. Null means every destination.
 */
function readDestination(input: RuleInput, wrong: (message: string) => void): string | null {
  const { flow, method = null, destination_code: name = null } = input
  if (name === null) return null
  const destination = findDestination(name)
  if (flow === 'collection') wrong('must be null for a collection: money that comes in has no destination')
  else if (destination === null) wrong(`must be a code of GET /v1/destinations: ${CODES}`)
  else if (method !== null && method !== destination.method)
    wrong(`has the method ${destination.method}, not the method of this rule`)
  return destination?.code ?? name
}

const CODES = DESTINATIONS.map(({ code }) => code).join(', ')

const FEE_HELP: Record<AmountProblem, string> = {
  malformed: 'must be a decimal string such as "500.00", without sign, exponent or separators',
  too_precise: 'must have at most two decimals',
  not_positive: 'must not be below zero',
  too_large: 'is too large',
}

const PERCENTAGE = /^(\d{1,3})(?:\.(\d{1,2}))?$/
const WHOLE = 10_000

/**
 * Parses a percentage into hundredths of a percent: "1.50" becomes 150. Null means that the text is not a percentage from 0 to
 * 100 with at most two decimals.
 */
export function parsePercentage(text: string): number | null {
  const [, whole, fraction = ''] = PERCENTAGE.exec(text) ?? []
  if (whole === undefined) return null
  const hundredths = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  return hundredths <= WHOLE ? hundredths : null
}

/** Formats hundredths of a percent with two decimals: 150 becomes "1.50". */
export function formatPercentage(hundredths: number): string {
  const digits = String(hundredths).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

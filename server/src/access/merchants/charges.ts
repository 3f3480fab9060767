// What a payment costs: the arithmetic of a line of a price list. Pure, in cents.

import { assertInvariant, divideHalfUp } from '../../kernel/lib/index.ts'
import type { Rule } from './read-rules.ts'

/** What is charged for one payment, in cents. `total_charges_minor`: what whoever pays the fees is charged in all. */
export type Charges = {
  percentage_fee_minor: bigint
  flat_fee_minor: bigint
  processor_charge_minor: bigint
  processor_fee_pass_through: boolean
  total_charges_minor: bigint
}

/** What one line of a price list charges for an amount. Our fee is percentage plus flat; the processor's charge is added where it is passed through. */
export function chargesOf(
  rule: Pick<
    Rule,
    'percentage_hundredths' | 'flat_fee_minor' | 'processor_charge_minor' | 'processor_fee_pass_through'
  >,
  amount_minor: bigint,
): Charges {
  const { flat_fee_minor, processor_charge_minor, processor_fee_pass_through } = rule
  const percentage_fee_minor = percentageOf(amount_minor, rule.percentage_hundredths)
  const passed_on = processor_fee_pass_through ? processor_charge_minor : 0n
  return {
    percentage_fee_minor,
    flat_fee_minor,
    processor_charge_minor,
    processor_fee_pass_through,
    total_charges_minor: percentage_fee_minor + flat_fee_minor + passed_on,
  }
}

/** Charges of a payment that nothing is charged for. */
export const NO_CHARGES: Charges = {
  percentage_fee_minor: 0n,
  flat_fee_minor: 0n,
  processor_charge_minor: 0n,
  processor_fee_pass_through: false,
  total_charges_minor: 0n,
}

const WHOLE_HUNDREDTHS = 10_000n

/** A percentage of an amount, rounded half up to the cent. */
export function percentageOf(amount_minor: bigint, percentage_hundredths: number): bigint {
  assertInvariant(amount_minor >= 0n && percentage_hundredths >= 0, 'a percentage is taken of what is not negative')
  return divideHalfUp(amount_minor * BigInt(percentage_hundredths), WHOLE_HUNDREDTHS)
}

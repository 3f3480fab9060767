// Calculates the charges of a payment or payout by one price rule. The functions are pure, and all amounts are in cents.

import { assertInvariant, divideHalfUp } from '../../kernel/lib/index.ts'
import type { Rule } from './read-rules.ts'

/**
 * The charges of one payment or payout in cents. `total_charges_minor` is the sum of the platform's fees and of a processor
 * charge that the merchant bears.
 */
export type Charges = {
  percentage_fee_minor: bigint
  flat_fee_minor: bigint
  processor_charge_minor: bigint
  processor_fee_pass_through: boolean
  total_charges_minor: bigint
}

/**
 * Returns the charges of an amount: the percentage fee and the flat fee. If the pass-through flag is true, the total includes
 * the processor charge.
 */
export function chargesOf(
  rule: Pick<
    Rule,
    'percentage_hundredths' | 'flat_fee_minor' | 'processor_charge_minor' | 'processor_fee_pass_through'
  >,
  amount_minor: bigint,
): Charges {
  const { flat_fee_minor, processor_charge_minor, processor_fee_pass_through } = rule
  const percentage_fee_minor = percentageOf(amount_minor, rule.percentage_hundredths)
  const passed_through = processor_fee_pass_through ? processor_charge_minor : 0n
  return {
    percentage_fee_minor,
    flat_fee_minor,
    processor_charge_minor,
    processor_fee_pass_through,
    total_charges_minor: percentage_fee_minor + flat_fee_minor + passed_through,
  }
}

/** The charges of a payment or payout to which no price rule applies. */
export const NO_CHARGES: Charges = {
  percentage_fee_minor: 0n,
  flat_fee_minor: 0n,
  processor_charge_minor: 0n,
  processor_fee_pass_through: false,
  total_charges_minor: 0n,
}

const WHOLE_HUNDREDTHS = 10_000n

/** Returns a percentage of an amount in cents, rounded half up. The percentage is in hundredths of a percent. */
export function percentageOf(amount_minor: bigint, percentage_hundredths: number): bigint {
  assertInvariant(amount_minor >= 0n && percentage_hundredths >= 0, 'amount and percentage are not negative')
  return divideHalfUp(amount_minor * BigInt(percentage_hundredths), WHOLE_HUNDREDTHS)
}

// Shows how large a withdrawal is for its merchant, and marks the withdrawals that differ most from earlier ones.

import { Group, Text } from '@mantine/core'
import { texts, useTexts } from '../../ui/language.ts'
import { Chip } from '../../ui/parts.tsx'
import { showAmount, showCount } from '../../ui/show.ts'
import type { WithdrawalRow } from './record.ts'

/** The facts of a withdrawal that waits for an approval. */
export type ShownFacts = NonNullable<WithdrawalRow['facts']>

/** From this share of the available balance on, in percent, a withdrawal has a mark. */
const MARKED_PERCENT = 80
/** From this multiple of the largest earlier payout on, a withdrawal has a mark. */
const MARKED_TIMES = 5

const factTexts = texts({
  sw: {
    share: 'Sehemu ya salio linalopatikana',
    compared: 'Ikilinganishwa na utoaji mkubwa zaidi',
    compared_value: (times: string, amount: string) =>
      `mara ${times} ya ${amount} (mkubwa zaidi kati ya 200 wa karibuni uliofanikiwa)`,
    of_balance: (percent: string) => `${percent} ya salio`,
    no_balance: 'Hakuna salio linalopatikana',
    times: (times: string) => `Mara ${times} ya utoaji mkubwa zaidi`,
    no_payout: 'Hakuna utoaji uliofanikiwa bado',
    first: 'Mara ya kwanza kulipa hapa',
    others: 'Biashara nyingine zimelipa namba hii',
    flag_share: (percent: string) => `Utoaji huu unachukua ${percent} ya salio linalopatikana.`,
    flag_times: (times: string, amount: string) =>
      `Kiasi ni mara ${times} ya ${amount}, kiasi kikubwa zaidi kati ya utoaji 200 wa karibuni uliofanikiwa.`,
  },
  en: {
    share: 'Share of the available balance',
    compared: 'Compared with the largest payout',
    compared_value: (times: string, amount: string) =>
      `${times} times ${amount} (the largest of the latest 200 that succeeded)`,
    of_balance: (percent: string) => `${percent} of the balance`,
    no_balance: 'No available balance',
    times: (times: string) => `${times} times the largest payout`,
    no_payout: 'No payout has succeeded yet',
    first: 'First payout to this destination',
    others: 'Other merchants have paid this number',
    flag_share: (percent: string) => `This withdrawal takes ${percent} of the available balance.`,
    flag_times: (times: string, amount: string) =>
      `The amount is ${times} times ${amount}, the largest of the latest 200 payouts that succeeded.`,
  },
})

type MarkedFact = { text: string; marked: boolean }

/**
 * Returns the facts as short texts. A fact that reaches its threshold is marked. So are a first payout to a destination, and a
 * destination that other merchants have paid.
 */
function useShortFacts(facts: ShownFacts | null): MarkedFact[] {
  const t = useTexts(factTexts)
  if (facts === null) return []
  const { balance_percent, times_largest_paid, new_destination, paid_by_others } = facts
  return [
    balance_percent === null
      ? { text: t.no_balance, marked: isLargeShare(facts) }
      : { text: t.of_balance(showPercent(balance_percent)), marked: isLargeShare(facts) },
    times_largest_paid === null
      ? { text: t.no_payout, marked: false }
      : { text: t.times(showRatio(times_largest_paid)), marked: isLargeMultiple(facts) },
    ...(new_destination ? [{ text: t.first, marked: true }] : []),
    ...(paid_by_others ? [{ text: t.others, marked: true }] : []),
  ]
}

/**
 * Returns true if an operator must check this withdrawal separately. Such a withdrawal has a marked fact, or waits for an
 * answer of the merchant.
 */
export function isMarked({ facts, status }: { facts: ShownFacts | null; status: string }): boolean {
  if (status === 'INFO_REQUESTED') return true
  if (facts === null) return false
  return isLargeShare(facts) || isLargeMultiple(facts) || facts.new_destination || facts.paid_by_others
}

/** Shows the marked facts of a withdrawal as chips. Without a marked fact, shows nothing. */
export function Marks({ facts }: { facts: ShownFacts | null }) {
  return useShortFacts(facts)
    .filter(({ marked }) => marked)
    .map(({ text }) => (
      <Chip key={text} tone="warn">
        {text}
      </Chip>
    ))
}

/** Shows all facts of a withdrawal in one line, the marked ones as chips. */
export function FactLine({ facts }: { facts: ShownFacts | null }) {
  const shown = useShortFacts(facts)
  if (shown.length === 0) return null
  return (
    <Group gap="xs">
      {shown.map(({ text, marked }) =>
        marked ? (
          <Chip key={text} tone="warn">
            {text}
          </Chip>
        ) : (
          <Text key={text} size="sm" c="dimmed">
            {text}
          </Text>
        ),
      )}
    </Group>
  )
}

/**
 * Returns the share of the balance and the comparison with earlier payouts, with their names, for FactList. Without facts, the
 * list is empty.
 */
export function useFactRows(facts: ShownFacts | null, currency: string): (readonly [string, string, 'wide'?])[] {
  const t = useTexts(factTexts)
  if (facts === null) return []
  const { balance_percent, times_largest_paid, largest_paid_amount } = facts
  return [
    [t.share, balance_percent === null ? t.no_balance : showPercent(balance_percent)],
    [
      t.compared,
      times_largest_paid === null || largest_paid_amount === null
        ? t.no_payout
        : t.compared_value(showRatio(times_largest_paid), showAmount(largest_paid_amount, currency)),
      'wide',
    ],
  ]
}

/** Returns a sentence about a large share of the balance, and one about an amount far above the earlier payouts. */
export function useFactWarnings(facts: ShownFacts | null, currency: string): string[] {
  const t = useTexts(factTexts)
  if (facts === null) return []
  const { balance_percent, times_largest_paid, largest_paid_amount } = facts
  return [
    ...(balance_percent !== null && isLargeShare(facts) ? [t.flag_share(showPercent(balance_percent))] : []),
    ...(isLargeMultiple(facts)
      ? [t.flag_times(showRatio(times_largest_paid ?? ''), showAmount(largest_paid_amount ?? '', currency))]
      : []),
  ]
}

// Null as `balance_percent` means that the available balance is not above zero, so every share of it is large.
const isLargeShare = ({ balance_percent }: ShownFacts) => Number(balance_percent ?? MARKED_PERCENT) >= MARKED_PERCENT
const isLargeMultiple = ({ times_largest_paid }: ShownFacts) => Number(times_largest_paid ?? 0) >= MARKED_TIMES

/** Formats a number with one decimal: "1234.5" becomes "1,234.5", and "80.0" becomes "80". */
function showRatio(ratio: string): string {
  const [whole = '0', tenth = '0'] = ratio.split('.')
  return `${showCount(Number(whole))}${tenth === '0' ? '' : `.${tenth}`}`
}

/** Formats a percentage with one decimal: "80.0" becomes "80 %". */
export const showPercent = (percent: string) => `${showRatio(percent)}\u00a0%`

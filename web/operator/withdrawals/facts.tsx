// Shows how large a withdrawal is for its merchant, and the warnings that the server gives about it.

import { Group, Text } from '@mantine/core'
import { agoInSwahili } from '../../ui/ago.ts'
import { texts, useLanguage, useTexts } from '../../ui/language.ts'
import { Chip, PageLink, type Tone } from '../../ui/parts.tsx'
import { showAge, showAmount, showCount } from '../../ui/show.ts'
import { useMe } from '../operator.ts'
import { isolateDirection } from '../words.ts'
import { timesOf } from './ratios.ts'
import type { WithdrawalRow } from './record.ts'

/** The facts of a withdrawal that waits for an approval. */
export type ShownFacts = NonNullable<WithdrawalRow['facts']>

/** The name of a warning in the facts. The server decides which warnings a withdrawal has. */
export type Warning = ShownFacts['warnings'][number]

/** The warnings with which the server refuses an approval. */
const REFUSED: ReadonlySet<Warning> = new Set([
  'merchant_not_active',
  'merchant_not_verified',
  'balance_too_low',
  'daily_limit',
  'destination_limit',
])

/** Returns the tone of a warning. */
export const toneOfWarning = (warning: Warning): Tone => (REFUSED.has(warning) ? 'bad' : 'warn')

const factTexts = texts({
  sw: {
    share: 'Sehemu ya salio linalopatikana',
    compared: 'Ikilinganishwa na utoaji mkubwa zaidi',
    compared_value: (times: string, amount: string) =>
      `mara ${times} ya ${amount} (mkubwa zaidi kati ya 200 wa karibuni uliofanikiwa)`,
    about_largest: (amount: string) => `karibu sawa na ${amount} (mkubwa zaidi kati ya 200 wa karibuni uliofanikiwa)`,
    same_as_largest: 'Karibu sawa na utoaji mkubwa zaidi uliolipwa hadi sasa',
    of_balance: (percent: string) => `${percent} ya salio`,
    no_balance: 'Hakuna salio linalopatikana',
    times: (times: string) => `Ni mara ${times} ya utoaji mkubwa zaidi uliolipwa`,
    below_largest: (amount: string) => `chini ya ${amount} (mkubwa zaidi kati ya 200 wa karibuni uliofanikiwa)`,
    no_payout: 'Hakuna utoaji uliofanikiwa bado',
    short: {
      merchant_not_active: 'Biashara haifanyi kazi kwa sasa',
      merchant_not_verified: 'Biashara haijathibitishwa',
      balance_too_low: 'Salio halitoshi',
      daily_limit: 'Inazidi kikomo cha siku',
      destination_limit: 'Inazidi kikomo cha siku kwenda namba hii',
      income_burst: 'Mapato yameongezeka ghafla',
      shared_destination: 'Biashara nyingine zimelipa namba hii',
      new_destination: 'Mpokeaji mpya',
    },
    you_rejected: (age: string) => `Umekataa utoaji mwingine wa biashara hii ${agoInSwahili(age)}`,
    rejected: (name: string, age: string) => `${name} alikataa utoaji mwingine wa biashara hii ${agoInSwahili(age)}`,
    failed: (age: string) => `Utoaji mwingine wa biashara hii haukufanikiwa ${agoInSwahili(age)}`,
    flag_share: (percent: string) => `Utoaji huu unachukua ${percent} ya salio linalopatikana.`,
    flag_times: (times: string, amount: string) =>
      `Kiasi ni mara ${times} ya ${amount}, kiasi kikubwa zaidi kati ya utoaji 200 wa karibuni uliofanikiwa.`,
  },
  en: {
    share: 'Share of the available balance',
    compared: 'Compared with the largest payout',
    compared_value: (times: string, amount: string) =>
      `${times} times ${amount} (the largest of the latest 200 that succeeded)`,
    about_largest: (amount: string) => `about the same as ${amount} (the largest of the latest 200 that succeeded)`,
    same_as_largest: 'About the same as the largest payout so far',
    of_balance: (percent: string) => `${percent} of the balance`,
    no_balance: 'No available balance',
    times: (times: string) => `${times} times the largest payout`,
    below_largest: (amount: string) => `less than ${amount} (the largest of the latest 200 that succeeded)`,
    no_payout: 'No payout has succeeded yet',
    short: {
      merchant_not_active: 'The merchant is not active',
      merchant_not_verified: 'The merchant is not verified',
      balance_too_low: 'The balance is too low',
      daily_limit: 'Above the daily limit',
      destination_limit: 'Above the daily limit to this number',
      income_burst: 'Burst of income',
      shared_destination: 'Other merchants have paid this number',
      new_destination: 'First payout to this destination',
    },
    you_rejected: (age: string) => `You rejected another withdrawal of this merchant ${age} ago`,
    rejected: (name: string, age: string) => `${name} rejected another withdrawal of this merchant ${age} ago`,
    failed: (age: string) => `Another withdrawal of this merchant failed ${age} ago`,
    flag_share: (percent: string) => `This withdrawal takes ${percent} of the available balance.`,
    flag_times: (times: string, amount: string) =>
      `The amount is ${times} times ${amount}, the largest of the latest 200 payouts that succeeded.`,
  },
})

/** Returns the function that says which actor rejected another withdrawal, or that the other one failed, and when. */
export function useFailureText(): (failures: NonNullable<ShownFacts['recent_failures']>) => string {
  const t = useTexts(factTexts)
  const language = useLanguage()
  const me = useMe()
  return ({ rejected_by, at }) => {
    const age = showAge(at, language)
    if (rejected_by === null) return t.failed(age)
    return rejected_by.id === me.id ? t.you_rejected(age) : t.rejected(isolateDirection(rejected_by.name), age)
  }
}

/** Returns each warning as a short text. `link` is the page of the withdrawal that the warning is about. */
export function useShortWarnings(
  facts: ShownFacts | null,
): { warning: Warning; tone: Tone; text: string; link: string | null }[] {
  const t = useTexts(factTexts)
  const failureText = useFailureText()
  const failures = facts?.recent_failures ?? null
  const textOf = (warning: Warning, { balance_percent, times_largest_paid }: ShownFacts) => {
    if (warning === 'large_share')
      return balance_percent === null ? t.no_balance : t.of_balance(showPercent(balance_percent))
    if (warning === 'large_multiple') return t.times(showRatio(times_largest_paid ?? ''))
    if (warning === 'recent_failure') return failures === null ? '' : failureText(failures)
    return t.short[warning]
  }
  if (facts === null) return []
  return facts.warnings.map((warning) => ({
    warning,
    tone: toneOfWarning(warning),
    text: textOf(warning, facts),
    link: warning === 'recent_failure' && failures !== null ? `withdrawals/${failures.withdrawal_id}` : null,
  }))
}

/** Returns the facts that have no warning, as short texts. A multiple below one says nothing, so the list omits it. */
function useQuietFacts(facts: ShownFacts | null): string[] {
  const t = useTexts(factTexts)
  if (facts === null) return []
  const { balance_percent, times_largest_paid, warnings } = facts
  const quiet: string[] = []
  if (balance_percent !== null && !warnings.includes('large_share'))
    quiet.push(t.of_balance(showPercent(balance_percent)))
  if (times_largest_paid === null) quiet.push(t.no_payout)
  else if (isMultiple(times_largest_paid) && !warnings.includes('large_multiple'))
    quiet.push(isAboutSame(times_largest_paid) ? t.same_as_largest : t.times(showRatio(times_largest_paid)))
  return quiet
}

/** Returns true if the server gives a warning about this withdrawal. */
export function hasWarning({ facts }: { facts: ShownFacts | null }): boolean {
  return facts !== null && facts.warnings.length > 0
}

/**
 * Returns true if an operator must check this withdrawal separately. Such a withdrawal has a warning, or waits for an answer of
 * the merchant.
 */
export function isMarked(row: { facts: ShownFacts | null; status: string }): boolean {
  return row.status === 'INFO_REQUESTED' || hasWarning(row)
}

/** Shows the warnings of a withdrawal as chips. Without a warning, shows nothing. */
export function Marks({ facts }: { facts: ShownFacts | null }) {
  return useShortWarnings(facts).map(({ warning, tone, text, link }) => (
    <span key={warning} className="sentence">
      <Chip tone={tone}>
        {link === null ? (
          text
        ) : (
          <PageLink to={link} className="banner-link">
            {text}
          </PageLink>
        )}
      </Chip>
    </span>
  ))
}

/** Shows the warnings of a withdrawal as chips, and the other facts, in one line. */
export function FactLine({ facts }: { facts: ShownFacts | null }) {
  const quiet = useQuietFacts(facts)
  if (facts === null) return null
  return (
    <Group gap="xs">
      <Marks facts={facts} />
      {quiet.map((text) => (
        <Text key={text} size="sm" c="dimmed">
          {text}
        </Text>
      ))}
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
        : isAboutSame(times_largest_paid)
          ? t.about_largest(showAmount(largest_paid_amount, currency))
          : isMultiple(times_largest_paid)
            ? t.compared_value(showRatio(times_largest_paid), showAmount(largest_paid_amount, currency))
            : t.below_largest(showAmount(largest_paid_amount, currency)),
      'wide',
    ],
  ]
}

/** Returns the sentence about a large share of the balance, and the one about an amount far above the earlier payouts. */
export function useSizeSentences(currency: string) {
  const t = useTexts(factTexts)
  return {
    large_share: ({ balance_percent }: ShownFacts) =>
      balance_percent === null ? null : t.flag_share(showPercent(balance_percent)),
    large_multiple: ({ times_largest_paid, largest_paid_amount }: ShownFacts) =>
      t.flag_times(showRatio(times_largest_paid ?? ''), showAmount(largest_paid_amount ?? '', currency)),
  }
}

const isMultiple = (times: string) => Number(times) >= 1

/** Returns true if the amount is at least the largest payout, and less than a tenth above it. */
const isAboutSame = (times: string) => Number(times) === 1

/** Formats a number with one decimal: "1234.5" becomes "1,234.5", and "80.0" becomes "80". */
export function showRatio(ratio: string): string {
  const [whole = '0', tenth = '0'] = ratio.split('.')
  return `${showCount(Number(whole))}${tenth === '0' ? '' : `.${tenth}`}`
}

/** Says how many times a sum contains another one, with one decimal. Null means that the other one is zero. */
export function showTimes(sum: string, other: string): string | null {
  const times = timesOf(sum, other)
  return times === null ? null : showRatio(times)
}

/** Formats a percentage with one decimal: "80.0" becomes "80 %". */
export const showPercent = (percent: string) => `${showRatio(percent)}\u00a0%`

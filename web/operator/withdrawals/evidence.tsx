// Shows the warnings that stood at the moment of each approval and rejection, with their figures. The server recorded them with
// the decision.

import { Stack, Text } from '@mantine/core'
import { texts, useLanguage, useTexts } from '../../ui/language.ts'
import { PageLink, Panel, Time } from '../../ui/parts.tsx'
import { showAmount, showTime } from '../../ui/show.ts'
import { isolateDirection } from '../words.ts'
import { showPercent, showRatio, showTimes, toneOfWarning, type Warning } from './facts.tsx'
import type { WithdrawalCaseRecord } from './record.ts'

type RecordedDecision = WithdrawalCaseRecord['decisions'][number]
type Evidence = RecordedDecision['evidence']

const evidenceTexts = texts({
  sw: {
    title: 'Alichokiona mwendeshaji',
    lead: 'Tahadhari za wakati wa kila uamuzi, kama seva ilivyozihifadhi.',
    decided: {
      'withdrawal.approve': (operator: string) => `${operator} aliidhinisha`,
      'withdrawal.first_approve': (operator: string) => `${operator} alitoa idhini ya kwanza`,
      'withdrawal.reject': (operator: string) => `${operator} alikataa`,
    },
    none: 'Hakukuwa na tahadhari.',
    suspended: 'Biashara haikuwa inafanya kazi.',
    unverified: 'Biashara ilikuwa haijathibitishwa.',
    short: (available: string) => `Salio halikutosha: lilikuwa ${available}.`,
    limit_daily: (limit: string, used: string) =>
      `Kikomo cha siku cha biashara kilikuwa ${limit}; siku hiyo zilikuwa zimeidhinishwa ${used}.`,
    limit_destination: (limit: string, used: string) =>
      `Kikomo cha siku kwenda namba hii kilikuwa ${limit}; siku hiyo zilikuwa zimeidhinishwa ${used}.`,
    burst: (received: string, usual: string, times: string) =>
      `Mapato yaliongezeka ghafla: ${received} kwa saa 24, mara ${times} ya siku ya kawaida (${usual}).`,
    burst_new: (received: string) =>
      `Mapato yaliongezeka ghafla: ${received} kwa saa 24. Siku 7 kabla yake hazikuwa na mapato.`,
    burst_later: (amount: string) => `Mapato yalikuwa yameingia baada ya ombi: ${amount}.`,
    burst_waiting:
      'Bila mapato yaliyoingia kuanzia saa 24 kabla ya ombi, salio halikutosha kwa utoaji wote uliosubiri.',
    burst_many: 'Mapato hayakulinganishwa: miamala 5,000 au zaidi ilikuwa imeingia baada ya ombi.',
    share: (percent: string, available: string) => `Utoaji ulichukua ${percent} ya salio la ${available}.`,
    no_balance: 'Hakukuwa na salio linalopatikana.',
    multiple: (times: string, amount: string) =>
      `Kiasi kilikuwa mara ${times} ya ${amount}, kiasi kikubwa zaidi kati ya utoaji 200 wa karibuni uliofanikiwa.`,
    shared: 'Biashara nyingine zilikuwa zimelipa namba hii.',
    first: 'Ilikuwa mara ya kwanza kwa biashara kulipa hapa.',
    rejected: (operator: string, time: string) =>
      `${operator} alikuwa amekataa utoaji mwingine wa biashara hii, ${time}.`,
    failed: (time: string) => `Utoaji mwingine wa biashara hii ulikuwa umeshindikana, ${time}.`,
    failures: (count: number) =>
      `Kati ya maombi yaliyotangulia (yasiyozidi matatu), yaliyokataliwa au kutofanikiwa: ${count}.`,
    open: 'Fungua utoaji huo',
    name_unasked: 'Mtoa huduma hakuwa ameulizwa jina.',
    name_same: 'Mtoa huduma alikuwa amethibitisha jina.',
    name_differs: 'Jina kwa mtoa huduma lilikuwa tofauti.',
    name_unknown: 'Mtoa huduma alikuwa ameulizwa, na jina halikuweza kulinganishwa.',
  },
  en: {
    title: 'What the operator saw',
    lead: 'The warnings at the time of each decision, as the server recorded them.',
    decided: {
      'withdrawal.approve': (operator: string) => `${operator} approved`,
      'withdrawal.first_approve': (operator: string) => `${operator} gave the first approval`,
      'withdrawal.reject': (operator: string) => `${operator} rejected`,
    },
    none: 'There was no warning.',
    suspended: 'The merchant was not active.',
    unverified: 'The merchant was not verified.',
    short: (available: string) => `The balance was too low: ${available}.`,
    limit_daily: (limit: string, used: string) =>
      `The daily limit of the merchant was ${limit}; approved before on that day: ${used}.`,
    limit_destination: (limit: string, used: string) =>
      `The daily limit to this number was ${limit}; approved before on that day: ${used}.`,
    burst: (received: string, usual: string, times: string) =>
      `Burst of income: ${received} in 24 hours, ${times} times the usual day (${usual}).`,
    burst_new: (received: string) => `Burst of income: ${received} in 24 hours, and nothing in the 7 days before.`,
    burst_later: (amount: string) => `Income had arrived after the request: ${amount}.`,
    burst_waiting:
      'Without the income since 24 hours before the request, the balance did not cover all waiting withdrawals.',
    burst_many: 'The income was not compared: 5,000 transfers or more had followed the request.',
    share: (percent: string, available: string) => `The withdrawal took ${percent} of the balance of ${available}.`,
    no_balance: 'There was no available balance.',
    multiple: (times: string, amount: string) =>
      `The amount was ${times} times ${amount}, the largest of the latest 200 payouts that had succeeded.`,
    shared: 'Other merchants had paid this number.',
    first: 'First payout of the merchant to this destination.',
    rejected: (operator: string, time: string) =>
      `${operator} had rejected another withdrawal of this merchant, ${time}.`,
    failed: (time: string) => `Another withdrawal of this merchant had failed, ${time}.`,
    failures: (count: number) => `Rejected or failed of up to three earlier withdrawals: ${count}.`,
    open: 'Open that withdrawal',
    name_unasked: 'The provider had not been asked for the name.',
    name_same: 'The provider had confirmed the name.',
    name_differs: 'The name at the provider was different.',
    name_unknown: 'The provider had been asked, and the name could not be compared.',
  },
})

/** Shows each decision with its warnings. If the server recorded no warnings with a decision, shows nothing. */
export function EvidencePanel({ of: { decisions, withdrawal } }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(evidenceTexts)
  if (decisions.length === 0) return null
  return (
    <Panel title={t.title} id="evidence">
      <Text size="sm">{t.lead}</Text>
      {decisions.map(({ action, operator, at, evidence }) => (
        <Stack key={at} gap={4}>
          <Text size="sm" fw={600} className="who">
            {t.decided[action](isolateDirection(operator))} · <Time time={at} />
          </Text>
          <EvidenceLines evidence={evidence} currency={withdrawal.currency} />
        </Stack>
      ))}
    </Panel>
  )
}

function EvidenceLines({ evidence, currency }: { evidence: Evidence; currency: string }) {
  const t = useTexts(evidenceTexts)
  const sentences = useEvidenceSentences(evidence, currency)
  const check = evidence.name_check
  const differs = check?.matches === false
  const name = check === null ? t.name_unasked : check.matches === true ? t.name_same : t.name_unknown
  return (
    <>
      {evidence.warnings.length === 0 && !differs ? <Text size="sm">{t.none}</Text> : null}
      <ul className="flags">
        {differs ? <li className="flag flag-bad">{t.name_differs}</li> : null}
        {evidence.warnings.map((warning) => (
          <li key={warning} className={`flag flag-${toneOfWarning(warning)}`}>
            {sentences[warning]}{' '}
            {warning === 'recent_failure' && evidence.recent_failure !== null ? (
              <PageLink to={`withdrawals/${evidence.recent_failure.withdrawal_id}`} className="banner-link">
                {t.open}
              </PageLink>
            ) : null}
          </li>
        ))}
      </ul>
      {differs ? null : <Text size="sm">{name}</Text>}
    </>
  )
}

function useEvidenceSentences(evidence: Evidence, currency: string): Record<Warning, string> {
  const t = useTexts(evidenceTexts)
  const language = useLanguage()
  const money = (value: string | null | undefined) => showAmount(value ?? '0.00', currency)
  const { income, daily_limit, destination_limit, recent_failure: failure } = evidence
  const burst = () => {
    const later = evidence.income_later ?? null
    if (later !== null) {
      if (later.amount === null) return t.burst_many
      return `${t.burst_later(money(later.amount))} ${t.burst_waiting}`
    }
    const times = income === null ? null : showTimes(income.received, income.daily_before)
    return times === null
      ? t.burst_new(money(income?.received))
      : t.burst(money(income?.received), money(income?.daily_before), times)
  }
  const failed = () => {
    if (failure === null) return ''
    const { count, rejected_by, at } = failure
    const time = showTime(at, language)
    const latest = rejected_by === null ? t.failed(time) : t.rejected(isolateDirection(rejected_by.name), time)
    return count > 1 ? `${latest} ${t.failures(count)}` : latest
  }
  return {
    merchant_not_active: t.suspended,
    merchant_not_verified: t.unverified,
    balance_too_low: t.short(money(evidence.available)),
    daily_limit: t.limit_daily(money(daily_limit?.limit), money(daily_limit?.approved_today)),
    destination_limit: t.limit_destination(money(destination_limit?.limit), money(destination_limit?.approved_today)),
    income_burst: burst(),
    large_share:
      evidence.balance_percent === null
        ? t.no_balance
        : t.share(showPercent(evidence.balance_percent), money(evidence.available)),
    large_multiple: t.multiple(showRatio(evidence.times_largest_paid ?? ''), money(evidence.largest_paid_amount)),
    shared_destination: t.shared,
    new_destination: t.first,
    recent_failure: failed(),
  }
}

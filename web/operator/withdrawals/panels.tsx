// Shows the facts of a withdrawal to an operator, each group of facts in a separate panel.

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { Amount, Chip, CopyButton, FactList, Mono, PageLink, Panel, Time } from '../../ui/parts.tsx'
import { addAmounts, showAge, showAmount, showCount, showTime } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { ForDuty } from '../duty.tsx'
import { useMe, useQueue } from '../operator.ts'
import { useProviderName } from '../provider-names.ts'
import { queueTexts } from '../queue-texts.ts'
import { isolateDirection, useOperatorWords } from '../words.ts'
import { caseTexts } from './case-texts.ts'
import { useFactRows } from './facts.tsx'
import { type Flag, isWarning } from './flags.ts'
import type { useNameCheck } from './panels-destination.tsx'
import {
  hasApproved,
  isApprovable,
  isClosedUnpaid,
  isSubmitter,
  type NameCheck,
  type WithdrawalCaseRecord,
} from './record.ts'

/**
 * Shows the warnings and the ordinary facts before money leaves, with the result of the name check. For a rejected
 * withdrawal, shows the warnings of now. After another decision, shows only a conflict of interest of the operator.
 */
export function WarningPanel({
  of,
  flags,
  name_check,
  asks_name,
}: {
  of: WithdrawalCaseRecord
  flags: readonly Flag[]
  name_check: ReturnType<typeof useNameCheck>
  /** True if the button that asks for the name is the main button of the page. */
  asks_name: boolean
}) {
  const t = useTexts(caseTexts)
  const is_rejected = of.withdrawal.status === 'REJECTED'
  const { check } = name_check
  if (!isApprovable(of.withdrawal) && flags.length === 0 && !(is_rejected && check !== null)) return null
  return (
    <section className="panel case-warnings">
      <Title order={2}>{t.look}</Title>
      <Stack gap="sm">
        {is_rejected ? <Text size="sm">{t.look_now}</Text> : null}
        {isApprovable(of.withdrawal) ? <CheckedName flags={flags} asks_name={asks_name} {...name_check} /> : null}
        {is_rejected && check !== null ? <NameOutcome check={check} flags={flags} /> : null}
        <Flags flags={flags} name_confirmed={check?.matches === true} />
      </Stack>
    </section>
  )
}

/** Says how the name check ended. Until the provider has told the name, also shows the button that asks the provider. */
function CheckedName({
  flags,
  asks_name,
  check,
  look,
  is_pending,
}: { flags: readonly Flag[]; asks_name: boolean } & Pick<
  ReturnType<typeof useNameCheck>,
  'check' | 'look' | 'is_pending'
>) {
  const t = useTexts(caseTexts)
  if (check?.matches === false) return null
  return (
    <Group gap="sm" className="name-unchecked">
      <NameOutcome check={check} flags={flags} />
      {check !== null && check.name !== null ? null : (
        <ForDuty duty="money">
          <Button
            size="xs"
            variant={asks_name ? 'filled' : 'default'}
            className="no-print"
            loading={is_pending}
            onClick={look}
            aria-keyshortcuts="n"
            rightSection={
              <kbd className="key-hint" aria-hidden>
                n
              </kbd>
            }
          >
            {check === null ? t.check : t.check_again}
          </Button>
        </ForDuty>
      )}
    </Group>
  )
}

/**
 * Says that the name is not checked, not known, or the same, and if only the name lacks a confirmation, says this too. Shows
 * nothing for a differing name, because a warning says so.
 */
export function NameOutcome({ check, flags }: { check: NameCheck | null; flags: readonly Flag[] }) {
  const t = useTexts(caseTexts)
  if (check?.matches === false) return null
  if (check?.matches === true)
    return check.name === null ? null : <Text size="sm">{t.name_same(isolateDirection(check.name))}</Text>
  const text =
    check === null
      ? t.name_unchecked
      : check.name === null
        ? t.name_unknown
        : t.name_unstated(isolateDirection(check.name))
  return (
    <Text size="sm" fw={600}>
      {flags.length === 0 ? `${text} ${t.only_name}` : text}
    </Text>
  )
}

/** Explains a status that needs an explanation, and shows its reason. For any other status, shows nothing. */
export function StatusPanel({ of: { withdrawal } }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(caseTexts)
  const words = useWords()
  const { status, status_reason } = withdrawal
  const meaning = t.stuck[status]
  const final = status === 'FAILED' || status === 'REJECTED' || status === 'CANCELLED'
  if (meaning === undefined && !(final && status_reason)) return null
  return (
    <section className={`panel flag-${final ? 'plain' : 'warn'}`}>
      <Title order={2}>{meaning ? t.meaning : t.recorded_reason}</Title>
      {meaning ? <Text size="sm">{meaning}</Text> : null}
      {status_reason ? (
        <Text size="sm" className="written">
          {meaning ? `${t.recorded_reason}: ` : null}
          <strong>{words.provider_status(status_reason)}</strong>
        </Text>
      ) : null}
    </section>
  )
}

/**
 * Shows the warnings as a coloured list, and below them the ordinary facts without a colour. Dialogs give only warnings, because
 * the facts would push the field of the reason out of view.
 * If there is no warning and the provider confirmed the name, shows a chip that says so.
 */
export function Flags({ flags, name_confirmed }: { flags: readonly Flag[]; name_confirmed: boolean }) {
  const t = useTexts(caseTexts)
  const warnings = flags.filter(isWarning)
  const facts = flags.filter((flag) => !isWarning(flag))
  return (
    <div>
      {warnings.length === 0 && name_confirmed ? <Chip tone="good">{t.usual}</Chip> : null}
      {warnings.length === 0 ? null : (
        <ul className="flags">
          {warnings.map(({ tone, text, link }) => (
            <li key={text} className={`flag flag-${tone}`}>
              {text}{' '}
              {link === undefined ? null : (
                <PageLink to={link.to} className="banner-link">
                  {link.text}
                </PageLink>
              )}
            </li>
          ))}
        </ul>
      )}
      {facts.length === 0 ? null : (
        <ul className="flag-facts" aria-label={t.ordinary}>
          {facts.map(({ text }) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Says that one operator suffices for a withdrawal, and from which amount on two operators have to decide. */
function ApprovalRule({ environment }: { environment: WithdrawalCaseRecord['withdrawal']['environment'] }) {
  const t = useTexts(caseTexts)
  const { four_eyes } = useTexts(queueTexts)
  const amount = useQueue(environment).data?.four_eyes_amount ?? null
  if (amount === null) return null
  return (
    <Text size="sm" c="dimmed">
      {t.one_operator} {four_eyes(showAmount(amount))}
    </Text>
  )
}

/**
 * Shows the approvals of a withdrawal that needs two approvals. While another withdrawal waits for its approval, shows the
 * rule.
 */
export function ApprovalPanel({ of }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(caseTexts)
  const me = useMe()
  const { withdrawal } = of
  const { approvals_required, approvals } = withdrawal
  const open = isApprovable(withdrawal)
  if (approvals_required < 2) return open ? <ApprovalRule environment={withdrawal.environment} /> : null
  const hint = hasApproved(withdrawal, me)
    ? t.you_approved
    : isSubmitter(withdrawal, me)
      ? t.you_asked
      : approvals.length > 0
        ? t.second_needed
        : null
  return (
    <section className={`panel flag-${open ? 'warn' : 'plain'}`}>
      <Title order={2}>{t.approvals}</Title>
      <Stack gap={4}>
        <Text size="sm">{t.approvals_needed}</Text>
        {approvals.map(({ operator, reason, at }) => (
          <div key={operator}>
            <Text size="sm" fw={600} className="who">
              {t.approved_by(operator)} · <Time time={at} />
            </Text>
            {reason ? (
              <Text size="sm" className="written">
                {t.recorded_reason}: {reason}
              </Text>
            ) : null}
          </div>
        ))}
        {open && hint ? <Text size="sm">{hint}</Text> : null}
      </Stack>
    </section>
  )
}

/** Shows the amount, the fees, the share of the balance, and the user or the API key, with its age, of the request. */
export function ChargesPanel({ of: { withdrawal, facts, api_key_created_at } }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(caseTexts)
  const language = useLanguage()
  const operatorWords = useOperatorWords()
  const { currency, requested_by } = withdrawal
  const is_open = isApprovable(withdrawal)
  const size = useFactRows(is_open ? facts : null, currency)
  const money = (value: string) => <Amount value={value} currency={currency} />
  const is_unpaid = isClosedUnpaid(withdrawal)
  const is_paid = withdrawal.status === 'SUCCESS'
  const total = is_open
    ? t.total
    : is_unpaid
      ? t.total_unpaid
      : is_paid
        ? t.total_paid
        : withdrawal.status === 'REVERSED'
          ? t.total_reversed
          : t.total_reserved
  const requester = t.by(operatorWords.actor(requested_by.kind), requested_by.name)
  return (
    <Panel title={t.facts}>
      {is_unpaid ? <Text size="sm">{t.nothing_left}</Text> : null}
      <FactList
        facts={[
          [t.amount, <strong key="amount">{money(withdrawal.amount)}</strong>],
          [
            is_unpaid ? t.recipient_unpaid : is_paid ? t.recipient_got : t.recipient_gets,
            money(withdrawal.recipient_net_amount),
          ],
          [t.percentage_fee, money(withdrawal.percentage_fee)],
          [t.flat_fee, money(withdrawal.flat_fee)],
          [
            t.processor_charge,
            <span key="charge">
              {money(withdrawal.processor_charge)}
              {withdrawal.processor_fee_pass_through ? null : ` (${t.processor_ours})`}
            </span>,
          ],
          [total, <strong key="total">{money(withdrawal.total_reserved_amount)}</strong>],
          ...size,
          [t.rule, withdrawal.pricing_rule_label ? operatorWords.rule(withdrawal.pricing_rule_label) : null],
          [
            t.requested_by,
            api_key_created_at === null
              ? requester
              : t.key_made(requester, showTime(api_key_created_at, language), showAge(api_key_created_at, language)),
          ],
          [t.reference, withdrawal.reference],
        ]}
      />
    </Panel>
  )
}

/**
 * Shows the merchant and its balance. While an operator can approve the withdrawal, also shows the balance that would remain.
 */
export function MerchantMoney({ of }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(caseTexts)
  const operatorWords = useOperatorWords()
  const { merchant, balance, withdrawal } = of
  const { currency } = balance
  const money = (value: string) => <Amount value={value} currency={currency} />
  const remaining = addAmounts([balance.available, `-${withdrawal.total_reserved_amount}`])
  return (
    <Panel title={t.merchant}>
      <FactList
        facts={[
          [
            t.merchant_name,
            <span key="merchant">
              <PageLink to={`merchants/${merchant.id}`}>{merchant.name}</PageLink> <Mono>{merchant.merchant_code}</Mono>
            </span>,
          ],
          [
            t.merchant_status,
            `${operatorWords.merchant(merchant.status)}, ${(merchant.verified ? t.verified : t.not_verified).toLowerCase()}`,
          ],
          [t.since, <Time key="since" time={merchant.created_at} />],
          [t.available, <strong key="available">{money(balance.available)}</strong>],
          isApprovable(withdrawal) ? [t.after, money(remaining)] : null,
          [t.reserved, money(balance.reserved)],
          [t.held, money(balance.held)],
          [
            t.received,
            balance.received_24h_complete
              ? money(balance.received_24h)
              : t.at_least(showAmount(balance.received_24h, currency)),
          ],
          balance.received_since === '0.00' ? null : [t.received_since, money(balance.received_since)],
          [t.last_received, <Time key="last" time={balance.last_received_at} />],
        ]}
      />
    </Panel>
  )
}

/** Shows the merchant's recent withdrawals, and the sums that operators approved today beside the daily limits. */
export function VelocityPanel({ of: { velocity, balance, payout_limits } }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(caseTexts)
  const today = ({ limit, approved_today }: WithdrawalCaseRecord['payout_limits']['daily']) => {
    const shown = showAmount(approved_today, balance.currency)
    return limit === null ? shown : t.of_limit(shown, showAmount(limit, balance.currency))
  }
  return (
    <Panel title={t.velocity}>
      <dl className="sum-rows">
        {velocity.map(({ hours, count, amount }) => (
          <div key={hours}>
            <dt>{t.hours[hours] ?? `${hours} h`}</dt>
            <dd>{t.times(showCount(count), showAmount(amount, balance.currency))}</dd>
          </div>
        ))}
        <div>
          <dt>{t.approved_today}</dt>
          <dd>{today(payout_limits.daily)}</dd>
        </div>
        <div>
          <dt>{t.approved_today_here}</dt>
          <dd>{today(payout_limits.destination)}</dd>
        </div>
      </dl>
    </Panel>
  )
}

/** Shows the state of the payout at the provider. Before the approval, shows nothing, because no payout exists. */
export function PayoutPanel({ of: { withdrawal } }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(caseTexts)
  const words = useWords()
  const operatorWords = useOperatorWords()
  const providerName = useProviderName()
  const { payout, provider_reference, transaction_reference } = withdrawal
  if (payout === null) return null
  const copied = (text: string | null) =>
    text === null ? null : (
      <>
        <Mono>{text}</Mono> <CopyButton text={text} />
      </>
    )
  return (
    <Panel title={t.payout}>
      <FactList
        facts={[
          [t.provider, providerName(payout.provider)],
          [t.state, operatorWords.payout(payout.state)],
          payout.waits_for === null
            ? null
            : [t.waits_for, <strong key="waits">{t.holds[payout.waits_for.what] ?? payout.waits_for.text}</strong>],
          [t.provider_status, payout.provider_status === null ? null : words.provider_status(payout.provider_status)],
          [t.steps, String(payout.asks)],
          [t.our_reference, copied(provider_reference)],
          [t.provider_id, copied(payout.provider_id)],
          [t.transaction, copied(transaction_reference)],
          payout.sent_at === null ? null : [t.sent_at, <Time key="sent" time={payout.sent_at} />],
          payout.due_at === null ? null : [t.due_at, <Time key="due" time={payout.due_at} />],
        ]}
      />
    </Panel>
  )
}

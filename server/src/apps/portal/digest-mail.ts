// Writes the summary that a member receives by e-mail: the payments, fees, failures and withdrawals of a period, and the
// current problems.

import {
  type DigestPeriod,
  type DueDigest,
  dashboardUrl,
  mailedName,
  type NoticeKind,
  unsubscribeUrl,
} from '../../access/merchants/index.ts'
import type { Email } from '../../adapters/messages/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { CURRENCY, DAY_MS, type Language, showAmount, showDate, startOfDay } from '../../kernel/lib/index.ts'
import { readSlotSums } from '../../money/collections/index.ts'
import { withdrawalsOfDigest } from '../../money/withdrawals/index.ts'
import { attentionOf } from './attention.ts'
import { DIGEST_TEXTS } from './digest-texts.ts'

/** A period of whole days in Tanzania. `first` is the number of its first day since 1970. */
export type DigestDays = { kind: DigestPeriod; first: number; days: number }

/** Returns a day number as YYYY-MM-DD. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

type Sums = { count: number; amount_minor: bigint }

/** The facts of live money in a summary. Amounts are in cents. */
export type DigestFacts = {
  successful: Sums
  failed: number
  fees_minor: bigint
  paid_out: Sums
  waiting: number
  attention: { kind: keyof (typeof DIGEST_TEXTS)['en']['items']; count: number; page: string }[]
}

const PAGES = {
  webhooks_failing: 'webhooks',
  withdrawals_info_requested: 'withdrawals',
  withdrawals_in_doubt: 'withdrawals',
  payments_held: 'collections',
  success_rate_low: 'collections',
  balance_low: 'transactions',
  keys_expiring: 'keys',
} as const

const isMailed = (kind: string): kind is keyof typeof PAGES => kind in PAGES

/** Reads the facts of a merchant's live money in a period, and the merchant's current problems. */
export async function digestFacts(deps: Deps, merchant_id: string, { first, days }: DigestDays): Promise<DigestFacts> {
  const owner = { merchant_id, environment: 'live' } as const
  const slots = Array.from({ length: days }, (_, i) => ({
    from: startOfDay(first + i),
    to: startOfDay(first + i + 1),
  }))
  const [rows, withdrawn, attention] = await Promise.all([
    readSlotSums(deps.db, owner, slots, 'day'),
    withdrawalsOfDigest(deps.db, owner, { from: startOfDay(first), to: startOfDay(first + days) }),
    attentionOf(deps, owner),
  ])
  const successful = rows.filter(({ status }) => status === 'successful')
  const failed = rows.filter(({ status }) => status === 'failed')
  const add = (all: readonly { count: bigint; amount_minor: bigint }[]): Sums => ({
    count: Number(all.reduce((sum, { count }) => sum + count, 0n)),
    amount_minor: all.reduce((sum, { amount_minor }) => sum + amount_minor, 0n),
  })
  return {
    successful: add(successful.map((row) => ({ count: row.items, amount_minor: row.amount_received_minor }))),
    failed: Number(failed.reduce((sum, { items }) => sum + items, 0n)),
    fees_minor: successful.reduce((sum, { fee_minor }) => sum + fee_minor, 0n),
    paid_out: { count: withdrawn.paid_count, amount_minor: withdrawn.paid_minor },
    waiting: withdrawn.waiting_count,
    // The summary is only about live money. The dashboard shows webhooks of the sandbox, and those that the server retries.
    attention: attention
      .filter(({ environment }) => environment === 'live')
      .flatMap(({ kind, count }) => (isMailed(kind) ? [{ kind, count, page: PAGES[kind] }] : [])),
  }
}

/** Returns true if the summary has no payment, no withdrawal and no problem. A member receives no empty summary. */
export function isEmptyDigest({ successful, failed, paid_out, waiting, attention }: DigestFacts): boolean {
  return successful.count + failed + paid_out.count + waiting + attention.length === 0
}

const NUMBER = new Intl.NumberFormat('en-US')
const grouped = (count: number) => NUMBER.format(count)

/** Returns the e-mail with a summary, in the language of the member. */
export function digestMail(deps: Deps, member: DueDigest, period: DigestDays, facts: DigestFacts): Email {
  const { merchant_id, language, email } = member
  const t = DIGEST_TEXTS[language]
  const merchant = mailedName(member.merchant_name)
  const last = period.first + period.days - 1
  const days = t.days(showDate(dayText(period.first), language), showDate(dayText(last), language))
  const { successful, failed, fees_minor, paid_out, waiting, attention } = facts
  const money = (minor: bigint) => showAmount(minor, CURRENCY)
  const page = (path: string) => dashboardUrl(deps, merchant_id, `live/${path}`)
  const range = `&from=${dayText(period.first)}&to=${dayText(last)}`
  const link = (label: string, path: string) => `${label}\n${page(path)}${range}`
  const items = attention.map(({ kind, count, page: path }) => `- ${t.items[kind](grouped(count))}\n  ${page(path)}`)
  const parts = [
    t.of(merchant, days),
    [
      t.received(money(successful.amount_minor), grouped(successful.count)),
      t.fees(money(fees_minor)),
      t.failed(grouped(failed)),
      t.paid_out(money(paid_out.amount_minor), grouped(paid_out.count)),
      ...(waiting === 0 ? [] : [t.waiting(grouped(waiting))]),
    ].join('\n'),
    items.length === 0 ? t.nothing_to_report : `${t.attention}\n${items.join('\n')}`,
    link(t.payments, 'collections'),
    link(t.withdrawals, 'withdrawals'),
  ]
  return {
    to: email,
    merchant_id,
    kind: `digest.${period.kind}`,
    subject: `${deps.config.brand_name}: ${merchant}, ${t[period.kind]}, ${days}`,
    button: { label: t.payments_button, url: `${page('collections')}${range}` },
    ...withFooter(deps, { merchant_id, language, member_id: member.member_id, kind: 'digest' }, parts),
  }
}

/**
 * Joins the parts of an e-mail. Adds the reason why the member receives the e-mail, and a link that ends these e-mails.
 */
export function withFooter(
  deps: Deps,
  notice: { merchant_id: string; member_id: string; language: Language; kind: NoticeKind },
  parts: readonly string[],
): { text: string; unsubscribe_url: string } {
  const { merchant_id, language, kind } = notice
  const t = DIGEST_TEXTS[language]
  const unsubscribe_url = unsubscribeUrl(deps, notice)
  const settings = dashboardUrl(deps, merchant_id, 'live/notifications')
  const footer_lines = [
    t.why[kind],
    ...(unsubscribe_url === '' ? [] : [`${t.stop}\n${unsubscribe_url}`]),
    `${t.settings}\n${settings}`,
  ]
  return { text: [...parts.filter((part) => part !== ''), footer_lines.join('\n')].join('\n\n'), unsubscribe_url }
}

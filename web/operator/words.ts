// Translates codes into words for operators: actors, payout states, refusals of an approval, merchant statuses, fee rules.

import { textOfCode, texts, useTexts } from '../ui/language.ts'

/** The stored name of the fee rule that each new merchant gets. */
export const DEFAULT_RULE = 'Default: no fee'

/** The Swahili name of this rule. */
export const DEFAULT_RULE_IN_SWAHILI = 'Kawaida: bila makato'

const words = texts({
  sw: {
    rule: { [DEFAULT_RULE]: DEFAULT_RULE_IN_SWAHILI } as Record<string, string>,
    actor: {
      user: 'Mtumiaji wa biashara',
      person: 'Mtumiaji',
      operator: 'Mwendeshaji',
      api_key: 'Ufunguo wa API',
      command: 'Amri ya msimamizi wa mfumo',
      system: 'Seva',
      provider: 'Mtoa huduma',
    } as Record<string, string>,
    payout: {
      to_send: 'Bado haujatumwa kwa mtoa huduma',
      sending: 'Unatumwa; hakuna jibu bado',
      asked: 'Mtoa huduma anao, au huenda anao',
      blocked: 'Mtoa huduma ameukataa kwa sababu iliyo upande wetu',
      final: 'Mtoa huduma ametoa jibu la mwisho',
    } as Record<string, string>,
    refusal: {
      insufficient_balance: 'Salio halitoshi',
      confirmation_required: 'Ni mara ya kwanza kulipa hapa; thibitisha kuwa umekagua namba',
      payout_limit_reached: 'Umevuka kikomo cha siku',
      withdrawal_restricted: 'Biashara haijaidhinishwa au haijathibitishwa',
      invalid_state: 'Hali yake imebadilika',
      second_operator_required: 'Umeshaidhinisha; mwendeshaji mwingine anahitajika',
      conflict_of_interest: 'Una uhusiano na biashara hii; mwendeshaji mwingine anahitajika',
      forbidden: 'Uliuomba wewe mwenyewe; mwendeshaji mwingine anahitajika',
      provider_unavailable: 'Hakuna mtoa huduma anayelipa huko',
      not_found: 'Haupatikani',
    } as Record<string, string>,
    merchant: { PENDING: 'Inasubiri kuidhinishwa', ACTIVE: 'Inatumika', SUSPENDED: 'Imesimamishwa' } as Record<
      string,
      string
    >,
  },
  en: {
    rule: { [DEFAULT_RULE]: DEFAULT_RULE },
    actor: {
      user: 'Member of the merchant',
      person: 'User',
      operator: 'Operator',
      api_key: 'API key',
      command: 'Admin command',
      system: 'Server',
      provider: 'Provider',
    },
    payout: {
      to_send: 'Not sent to the provider yet',
      sending: 'Being sent; no answer yet',
      asked: 'The provider has the payout, or may have the payout',
      blocked: 'The provider refused the payout for a reason on our side',
      final: 'The provider gave its final answer',
    },
    refusal: {
      insufficient_balance: 'The balance is too low',
      confirmation_required: 'First payout to this destination; confirm that you have checked the destination',
      payout_limit_reached: 'The payout exceeds a daily limit',
      withdrawal_restricted: 'The merchant is not active and verified',
      invalid_state: 'Its status has changed',
      second_operator_required: 'You have already approved this withdrawal; another operator must approve',
      conflict_of_interest:
        'You are or were a member of this merchant, or created one of its API keys; another operator must approve',
      forbidden: 'You submitted this withdrawal; another operator must approve',
      provider_unavailable: 'No provider supports payouts to this destination',
      not_found: 'Not found',
    },
    merchant: { PENDING: 'Waits for approval', ACTIVE: 'Active', SUSPENDED: 'Suspended' },
  },
})

/** Returns functions that translate codes into the current language. An unknown code stays unchanged. */
export function useOperatorWords() {
  const t = useTexts(words)
  const of = (kind: keyof typeof t) => (word: string) => textOfCode(t[kind], word) ?? word
  return {
    actor: of('actor'),
    payout: of('payout'),
    refusal: of('refusal'),
    merchant: of('merchant'),
    rule: of('rule'),
  }
}

/** Isolates the text direction of a name, so that a right-to-left name does not reverse the sentence around it. */
export function isolateDirection(name: string): string {
  return /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/.test(name)
    ? `\u2068${name}\u2069`
    : name
}

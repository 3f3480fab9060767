// The optional functions of providers. No function that moves money depends on them.

import type { PayoutMethod } from './port.ts'

/** The recipient of a possible payout. */
export type PayoutRecipient = {
  method: PayoutMethod
  /** The neutral code of the network or bank (lib/destinations.ts). */
  destination_code: string
  /** The canonical phone number 255XXXXXXXXX, or a bank account number. */
  destination_identifier: string
}

/** The kinds of movements in a provider's books. A reversal returns a payment or a payout; a charge is the provider's fee. */
export type MoveKind = 'payment' | 'payout' | 'reversal' | 'charge'

/** One movement in a provider's books. The amount is in cents and above zero; the kind gives the direction. */
export type ProviderMove = {
  /** The platform's reference. Null means that the movement has no reference. */
  reference: string | null
  /** The provider's own id of the movement. */
  provider_id: string | null
  kind: MoveKind
  amount_minor: bigint
  currency: string
  at: Date
}

/** A page of the list of movements. `next` is the cursor of the next page, and null on the last page. */
export type MovesPage = { moves: readonly ProviderMove[]; next: string | null }

/**
 * The optional functions of a provider. Each answers within CALL_MS_MAX and throws for no fault of the provider. Null means
 * that the answer is not known, never that there is no such recipient or no money.
 */
export type ProviderExtras = {
  /** Looks up the name on the receiving account. The name may contain any text. */
  lookupName?(recipient: PayoutRecipient): Promise<{ name: string } | null>
  /** Reads the balance of the account that pays payouts. The balance may not include the newest payouts. */
  floatBalance?(): Promise<{ amount_minor: bigint; currency: string } | null>
}

/** The optional functions that read the provider's own books. They behave as `ProviderExtras` do. */
export type ProviderLists = {
  /**
   * If true, a person fills the account of `floatBalance` by hand and the account only pays payouts. Another account has the
   * money of payments, so the balance differs from all money at the provider.
   */
  separate_float?: true
  /**
   * Lists the executed movements from `from` until before `to`, page by page; the first `cursor` is null. The list has no
   * failed movements. A movement that occurs twice in the list counts twice.
   */
  listMoves?(from: Date, to: Date, cursor: string | null): Promise<MovesPage | null>
}

// Defines the optional functions of providers. No function that moves money depends on these functions.

import type { PayoutMethod } from './port.ts'

/** The recipient of a payout, for the look-up of the recipient's name before the payout. */
export type PayoutRecipient = {
  method: PayoutMethod
  /** The neutral code of the network or bank (lib/destinations.ts). */
  destination_code: string
  /** The canonical phone number 255XXXXXXXXX, or a bank account number. */
  destination_identifier: string
}

/**
 * The kinds of movements in a provider's books. `reversal` returns the money of a payment or a payout. `charge` is the
 * provider's fee.
 */
export type MoveKind = 'payment' | 'payout' | 'reversal' | 'charge'

/** One movement in a provider's books. The amount is in cents and above zero, and the kind gives the direction. */
export type ProviderMove = {
  /** The platform's reference. Null means that the movement has no reference. */
  reference: string | null
  /** The provider's id of the movement. Null means that the movement has no such id. */
  provider_id: string | null
  kind: MoveKind
  amount_minor: bigint
  currency: string
  at: Date
}

/** A page of the list of movements. `next` is the cursor of the next page. Null means that this page is the last. */
export type MovesPage = { moves: readonly ProviderMove[]; next: string | null }

/**
 * The optional functions of a provider. Each function answers within CALL_MS_MAX and never throws because of the provider. Null
 * means that the adapter got no result: it could not send the query, the provider did not answer, or the answer has no result.
 * Null never means that the recipient or the money does not exist.
 */
export type ProviderExtras = {
  /** Looks up the name on the receiving account. The name may contain any characters. */
  lookupName?(recipient: PayoutRecipient): Promise<{ name: string } | null>
  /** Reads the balance of the account that pays payouts. The balance may still contain the money of the newest payouts. */
  floatBalance?(): Promise<{ amount_minor: bigint; currency: string } | null>
}

/**
 * The optional functions that read the provider's books. Their rules for time, errors and null are those of
 * `ProviderExtras`.
 */
export type ProviderLists = {
  /**
   * If true, an operator fills the account of `floatBalance` by hand and the account only pays payouts. The money of payments
   * is in another account, so the balance differs from all money at the provider.
   */
  separate_float?: true
  /**
   * Lists the executed movements from `from` until before `to`, page by page. The first `cursor` is null. The list has no
   * failed movements. If a movement occurs twice in the list, the movement counts twice.
   */
  listMoves?(from: Date, to: Date, cursor: string | null): Promise<MovesPage | null>
}

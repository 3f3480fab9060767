// Optional functions of providers. Nothing that moves money depends on them.

import type { PayoutMethod } from './port.ts'

/** The recipient of a possible payout. */
export type PayoutRecipient = {
  method: PayoutMethod
  /** Network or bank by its neutral code (lib/destinations.ts). */
  destination_code: string
  /** Canonical phone 255XXXXXXXXX, or a bank account number. */
  destination_identifier: string
}

/** The kinds of movements in a provider's books. A reversal returns a payment or a payout; a charge is the provider's fee. */
export type MoveKind = 'payment' | 'payout' | 'reversal' | 'charge'

/** One movement in a provider's books. The amount is in cents and above zero; the kind gives the direction. */
export type ProviderMove = {
  /** The platform's reference; null if the movement has none. */
  reference: string | null
  /** The provider's own id of the movement. */
  provider_id: string | null
  kind: MoveKind
  amount_minor: bigint
  currency: string
  at: Date
}

/** A page of the list of movements. `next` is the cursor of the next page; null on the last page. */
export type MovesPage = { moves: readonly ProviderMove[]; next: string | null }

/**
 * Optional functions of a provider. Each answers within CALL_MS_MAX and throws for nothing that the provider does. Null means
 * that the answer is not known, never that there is no such recipient or no money.
 */
export type ProviderExtras = {
  /** Looks up the name on the receiving account. The name may contain any text. */
  lookupName?(recipient: PayoutRecipient): Promise<{ name: string } | null>
  /** Reads the balance of the account that pays payouts. It may not include the newest payouts. */
  floatBalance?(): Promise<{ amount_minor: bigint; currency: string } | null>
}

/** Optional functions, as `ProviderExtras`, that read the provider's own books. */
export type ProviderLists = {
  /**
   * True: the account of `floatBalance` is filled by hand and only pays payouts. The money of payments is in another account,
   * so the balance cannot be compared with all money at the provider.
   */
  separate_float?: true
  /**
   * Lists the executed movements from `from` until before `to`, page by page; the first `cursor` is null. Failed movements
   * are not listed. A movement that is listed twice counts twice.
   */
  listMoves?(from: Date, to: Date, cursor: string | null): Promise<MovesPage | null>
}

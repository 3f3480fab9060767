// What some providers can do beyond the port. Nothing that moves money depends on it: whoever asks must live without it.

import type { PayoutMethod } from './port.ts'
import { packReference, unpackReference } from './vodacom/reference.ts'

/** Somebody who could be paid. */
export type Recipient = {
  method: PayoutMethod
  /** Network or bank by its neutral code (lib/destinations.ts). */
  destination_code: string
  /** Canonical phone 255XXXXXXXXX, or a bank account number. */
  destination_identifier: string
}

/** What a movement in a provider's books can be. A reversal takes a payment or a payout back; a charge is the provider's. */
export type MoveKind = 'payment' | 'payout' | 'reversal' | 'charge'

/** One movement in a provider's own books. Amount in cents, above zero: the kind says which way it went. */
export type ProviderMove = {
  /** The reference we gave the provider; null where it names none. */
  reference: string | null
  /** The provider's own id of the movement. */
  provider_id: string | null
  kind: MoveKind
  amount_minor: bigint
  currency: string
  at: Date
}

/** A part of the list of movements. `next`: what to ask for the part behind it; null: there is none. */
export type MovesPage = { moves: readonly ProviderMove[]; next: string | null }

/**
 * Optional functions of a provider. Each answers within CALL_MS_MAX and never throws because of what the provider did;
 * null means that nothing was learned, for whatever reason: never that there is no such recipient, or no money.
 */
export type ProviderExtras = {
  /** The name on the receiving account. It comes from outside and may hold any text. */
  lookupName?(recipient: Recipient): Promise<{ name: string } | null>
  /** What is left of the money that payouts are paid from. It may lag behind what was just sent. */
  floatBalance?(): Promise<{ amount_minor: bigint; currency: string } | null>
}

/** How a provider's statements write our references, where that is not as we gave them. */
type StatementForm = {
  /** Ours as it is written there. Null: it has no such form. */
  write(reference: string): string | null
  /** Ours behind a text of a statement; null when there is none. `at`: when it moved by that statement. */
  read(text: string, at: Date): string | null
}

// By name and not by adapter: a statement may be of a provider that is not configured any more.
const FORMS: Record<string, StatementForm> = {
  vodacom: { write: packReference, read: unpackReference },
}
const formOf = (provider: string) => (Object.hasOwn(FORMS, provider) ? FORMS[provider] : undefined)

/** A reference of ours as the provider's statements write it; null when that is as we gave it. */
export function statementForm(provider: string, reference: string): string | null {
  const form = formOf(provider)?.write(reference) ?? null
  return form === reference ? null : form
}

/** The reference of ours behind what a provider's statement writes. Null: it writes them as we gave them, or this is none. */
export function readStatementForm(provider: string, text: string, at: Date): string | null {
  return formOf(provider)?.read(text, at) ?? null
}

/** As `ProviderExtras`: what a provider can do that tells what happened in its own books. */
export type ProviderLists = {
  /**
   * True: `floatBalance` is of an account that is filled by hand and pays payouts alone. What payments brought lies elsewhere,
   * so that the balance says nothing of what should lie at the provider in all.
   */
  separate_float?: true
  /**
   * What moved from `from` until before `to`, in parts: each call answers one, the first with a `cursor` of null. Only
   * movements that happened, never those that failed. One that is listed twice counts twice.
   */
  listMoves?(from: Date, to: Date, cursor: string | null): Promise<MovesPage | null>
}

// Settings of a twin, at its start and while it runs. Many exist because the gateway's documentation does not describe its
// real behaviour.

/** The settings. */
export type Settings = {
  /** sync: a payment is answered when its payer has decided. async: at once, and a callback reports the outcome. */
  mode: 'sync' | 'async'
  /** Time until a payer, or a receiver's network, decides; and until the later change. */
  decide_ms: number
  /** How long a session lasts, and how long a new one is still refused. */
  session_life_ms: number
  session_settle_ms: number
  /** True: a new session ends the previous one. */
  one_session: boolean
  /** The refusal of an invalid session: without a code, with one, or a page of a proxy. */
  no_session: 'error' | 'code' | 'page'
  /** Trusted origins; * is every one. */
  origins: readonly string[]
  /** A call of this kind is not enabled for this application. */
  closed: readonly string[]
  /** The URL of callbacks; null: none are sent. */
  callback_url: string | null
  /** The fate of callbacks. */
  callbacks: 'plain' | 'lost' | 'duplicate' | 'forged'
  /** The callback's field with the caller's id, and its text for success. */
  callback_field: 'input_ThirdPartyConversationID' | 'input_ThirdPartyReference'
  callback_success: 'INS-0' | '0'
  /** The statuses in a query. Only the one for paid is documented. */
  words: { pending: string; paid: string; failed: string }
  /** False: a query does not find unpaid transactions. */
  finds_unpaid: boolean
}

/** The default settings of a twin. */
export function defaultSettings(): Settings {
  return {
    mode: 'sync',
    decide_ms: 0,
    session_life_ms: 3_600_000,
    session_settle_ms: 0,
    one_session: false,
    no_session: 'error',
    origins: ['*'],
    closed: [],
    callback_url: null,
    callbacks: 'plain',
    callback_field: 'input_ThirdPartyConversationID',
    callback_success: 'INS-0',
    words: { pending: 'Pending', paid: 'Completed', failed: 'Failed' },
    finds_unpaid: true,
  }
}

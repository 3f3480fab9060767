// Defines the settings of a twin, at its start and while the twin runs. Many settings exist because the gateway's
// documentation leaves its real behaviour open.

/** The settings of a twin. */
export type Settings = {
  /**
   * The time of the answer to a payment. `sync`: the twin answers when the payer has decided. `async`: the twin answers at
   * once, and a callback reports the outcome.
   */
  mode: 'sync' | 'async'
  /** The time until the payer, or the receiver's network, decides. A later change follows after the same time again. */
  decide_ms: number
  /** The time for which a session is valid. */
  session_life_ms: number
  /** The time for which the twin refuses a new session. */
  session_settle_ms: number
  /** If true, a new session ends the previous session. */
  one_session: boolean
  /** The refusal of an invalid session: JSON without a code, JSON with a code, or the web page of a proxy. */
  no_session: 'error' | 'code' | 'page'
  /** The trusted origins. * means that the twin trusts every origin. */
  origins: readonly string[]
  /** The calls that this application may not use. */
  closed: readonly string[]
  /** The URL of callbacks. Null means that the twin sends no callbacks. */
  callback_url: string | null
  /** The way in which the twin sends callbacks. */
  callbacks: 'plain' | 'lost' | 'duplicate' | 'forged'
  /** The field of a callback that has the caller's id. */
  callback_field: 'input_ThirdPartyConversationID' | 'input_ThirdPartyReference'
  /** The text of a callback that means success. */
  callback_success: 'INS-0' | '0'
  /** The states of a transaction in the answer to a query. The gateway documents only the state of a paid transaction. */
  words: { pending: string; paid: string; failed: string }
  /** If false, a query finds paid transactions only. */
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

// Defines the settings of a twin. Many settings exist because the gateway's documentation leaves its real behaviour open.

/** The settings of a twin, which a test can change while the twin runs. Times are in milliseconds. */
export type Settings = {
  /**
   * `sync`: when the payer has decided, the twin answers the payment. `async`: the twin answers immediately, and reports the
   * outcome by callback.
   */
  mode: 'sync' | 'async'
  /** The time until the payer, or the receiver's network, decides. A later change follows after the same time again. */
  decide_ms: number
  /** The time from the start of a session until the session ends. */
  session_life_ms: number
  /** The time after its start during which a new session is not valid yet. */
  session_settle_ms: number
  /** If true, a new session ends the previous session. */
  one_session: boolean
  /**
   * The answer to a request without a valid session: JSON without a code, JSON with a code, or the web page of a proxy.
   */
  no_session: 'error' | 'code' | 'page'
  /** The trusted values of the Origin header. * means that the twin trusts every origin. */
  origins: readonly string[]
  /** The calls that this application may not use. */
  closed: readonly string[]
  /** The URL of callbacks. Null means that the twin sends no callbacks. */
  callback_url: string | null
  /** The way in which the twin sends callbacks. `lost` means that the twin sends no callback. */
  callbacks: 'plain' | 'lost' | 'duplicate' | 'forged'
  /** The name of the callback field that has the caller's id. */
  callback_field: 'input_ThirdPartyConversationID' | 'input_ThirdPartyReference'
  /** The result code of a callback after a success. */
  callback_success: 'INS-0' | '0'
  /**
   * The texts for the states of a transaction in the answer to a query. The gateway documents only the text for a paid
   * transaction.
   */
  words: { pending: string; paid: string; failed: string }
  /** If false, a query finds only transactions whose money has moved. */
  finds_unpaid: boolean
}

/** Returns the settings of a synchronous application that sends no callbacks. */
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

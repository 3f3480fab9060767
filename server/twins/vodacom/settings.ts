// The settings of a twin, at its start and while it runs. Many exist because the gateway's documentation does not describe
// its real behaviour.

/** The settings of a twin. */
export type Settings = {
  /**
   * The time of the answer to a payment. `sync`: the twin answers when the payer has decided. `async`: the twin answers at
   * once, and a callback reports the outcome.
   */
  mode: 'sync' | 'async'
  /** The time until a payer, or a receiver's network, decides, and until the later change. */
  decide_ms: number
  /** The time for which a session is valid, and the time for which the twin still refuses a new session. */
  session_life_ms: number
  session_settle_ms: number
  /** If true, a new session ends the previous session. */
  one_session: boolean
  /** The refusal of an invalid session: without a code, with a code, or as a page of a proxy. */
  no_session: 'error' | 'code' | 'page'
  /** The trusted origins. * means every origin. */
  origins: readonly string[]
  /** The calls that the gateway does not enable for this application. */
  closed: readonly string[]
  /** The URL of callbacks. Null means that the twin sends no callbacks. */
  callback_url: string | null
  /** The fate of callbacks. */
  callbacks: 'plain' | 'lost' | 'duplicate' | 'forged'
  /** The callback's field with the caller's id, and its text for success. */
  callback_field: 'input_ThirdPartyConversationID' | 'input_ThirdPartyReference'
  callback_success: 'INS-0' | '0'
  /** The statuses in a query. The gateway documents only the status of a paid transaction. */
  words: { pending: string; paid: string; failed: string }
  /** If false, a query does not find unpaid transactions. */
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

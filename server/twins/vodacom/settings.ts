// What can be chosen about a twin, at its start and while it runs. Much of it is here because nobody has written down what the
// gateway really does.

/** The settings. */
export type Settings = {
  /** sync: a payment is answered when its payer has decided. async: at once, and a callback tells the rest. */
  mode: 'sync' | 'async'
  /** Time until a payer, or a receiver's network, has decided; and until what comes after that. */
  decide_ms: number
  /** How long a session lasts, and how long a new one is refused. */
  session_life_ms: number
  session_settle_ms: number
  /** True: a new session ends the one before. */
  one_session: boolean
  /** How a session that is none is refused: without a code, with one, or by somebody on the way. */
  no_session: 'error' | 'code' | 'page'
  /** Origins that are trusted; * is every one. */
  origins: readonly string[]
  /** The call of this kind is not switched on for this application. */
  closed: readonly string[]
  /** Where callbacks go; null: nowhere. */
  callback_url: string | null
  /** What becomes of callbacks. */
  callbacks: 'plain' | 'lost' | 'duplicate' | 'forged'
  /** Name of the field in callbacks that holds the caller's id, and the word for success. */
  callback_field: 'input_ThirdPartyConversationID' | 'input_ThirdPartyReference'
  callback_success: 'INS-0' | '0'
  /** The words of a query. Only the one for paid is documented. */
  words: { pending: string; paid: string; failed: string }
  /** False: a query does not find what was never paid. */
  finds_unpaid: boolean
}

/** The settings of a twin that nobody chose others for. */
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

// Sends the callbacks of an asynchronous application to its registered URL. The callbacks have no signature, because the
// gateway signs no callback.

import { request } from 'undici'
import type { Transaction } from './book.ts'
import type { TwinReply } from './reply.ts'
import type { Settings } from './settings.ts'

/**
 * A callback that the twin planned, with the receiver's answer. Null as `status` means that the receiver gave no answer.
 */
export type CallbackEntry = {
  conversation: string
  code: string
  forged: boolean
  status: number | null
  /** The receiver's JSON answer. Null means that the twin got no JSON. */
  answer: Record<string, unknown> | null
}

/** The sender of callbacks, with the callbacks of its twin. */
export type Callbacks = {
  /**
   * Sends the callbacks of a transaction after `decided` resolves. Null as its value means that the twin sends no callback.
   */
  follow(transaction: Transaction, decided: Promise<TwinReply | null>): void
  entries: readonly CallbackEntry[]
  /** Resolves when all running callbacks have ended. */
  idle(): Promise<void>
}

const TIMEOUT_MS = 5_000

/** Makes the sender of callbacks. The settings choose the URL, the field names and the faults. */
export function createCallbacks(settings: Settings): Callbacks {
  const entries: CallbackEntry[] = []
  const under_way = new Set<Promise<void>>()
  const post = async (transaction: Transaction, code: string, forged: boolean) => {
    const entry: CallbackEntry = { conversation: transaction.conversation, code, forged, status: null, answer: null }
    entries.push(entry)
    if (settings.callback_url === null || settings.callbacks === 'lost') return
    const body = JSON.stringify({
      input_OriginalConversationID: transaction.own_conversation,
      input_TransactionID: transaction.receipt,
      input_ResultCode: code,
      input_ResultDesc: code === settings.callback_success ? 'Request processed successfully' : 'Not processed',
      [settings.callback_field]: transaction.conversation,
    })
    try {
      const response = await request(settings.callback_url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      })
      entry.status = response.statusCode
      entry.answer = (await response.body.json()) as Record<string, unknown>
    } catch {
      // If no answer arrives, the entry keeps a null status. If the answer is no JSON, the entry keeps the HTTP status.
    }
  }
  const track = (work: Promise<void>) => {
    under_way.add(work)
    void work.finally(() => under_way.delete(work))
  }
  return {
    entries,
    follow(transaction, decided) {
      if (settings.callbacks === 'forged') track(post(transaction, settings.callback_success, true))
      const work = decided.then(async (reply) => {
        if (reply === null) return
        const code = reply.content.output_ResponseCode ?? ''
        const times = settings.callbacks === 'duplicate' ? 3 : 1
        const sent_code = code === 'INS-0' ? settings.callback_success : code
        await Promise.all(Array.from({ length: times }, () => post(transaction, sent_code, false)))
      })
      track(work)
    },
    async idle() {
      while (under_way.size > 0) await Promise.all([...under_way])
    },
  }
}

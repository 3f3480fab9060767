// Drawing documents in a thread of its own: it takes tens of milliseconds, which requests would have to wait for.

import { Worker } from 'node:worker_threads'
import type { InvoiceDocument } from './invoice.ts'
import type { PosterDocument } from './poster.ts'
import { createDocumentQueue, type DocumentOwner } from './queue.ts'
import type { ReceiptDocument } from './receipt.ts'

/** A document to draw. */
export type Drawing =
  | { kind: 'invoice'; input: InvoiceDocument }
  | { kind: 'poster'; input: PosterDocument }
  | { kind: 'receipt'; input: ReceiptDocument }

/** What the thread answers. */
export type Drawn = { pdf: Uint8Array } | { problem: string }

/** One document may take so long, with the start of the thread; then the thread is ended. */
const DRAWING_MS_MAX = 20_000
/** A thread that has nothing to draw for so long ends, and its memory is free. */
const IDLE_MS = 10_000
/** A thread that needs more has a fault, and must not take the process with it. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

const inTurn = createDocumentQueue()
let thread: Worker | null = null
let idle: NodeJS.Timeout | undefined

/**
 * Draws a document as a PDF, outside of the main thread. If too many documents wait, it refuses with service_unavailable.
 * A document that crashes the thread fails alone: the next one has a new thread.
 */
export function drawDocument(owner: DocumentOwner, drawing: Drawing): Promise<Buffer> {
  return inTurn(owner, () => drawInThread(drawing))
}

async function drawInThread(drawing: Drawing): Promise<Buffer> {
  clearTimeout(idle)
  thread ??= startThread()
  const worker = thread
  worker.ref()
  try {
    const drawn = await answerOf(worker, drawing)
    if ('problem' in drawn) throw new Error(`a ${drawing.kind} could not be drawn: ${drawn.problem}`)
    return Buffer.from(drawn.pdf.buffer, drawn.pdf.byteOffset, drawn.pdf.byteLength)
  } finally {
    worker.unref()
    idle = setTimeout(endThread, IDLE_MS).unref()
  }
}

/** The answer of the thread. It throws, and the thread is ended, if the thread dies or takes too long. */
async function answerOf(worker: Worker, drawing: Drawing): Promise<Drawn> {
  const { promise, resolve, reject } = Promise.withResolvers<Drawn>()
  const timeout = setTimeout(() => reject(new Error('it took too long')), DRAWING_MS_MAX)
  const ended = (code: number) => reject(new Error(`the thread ended with ${code}`))
  worker.once('message', resolve).once('error', reject).once('exit', ended)
  try {
    worker.postMessage(drawing)
    return await promise
  } catch (error) {
    endThread()
    throw new Error(`a ${drawing.kind} could not be drawn`, { cause: error })
  } finally {
    clearTimeout(timeout)
    worker.off('message', resolve).off('error', reject).off('exit', ended)
  }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits: LIMITS })
  // An error of a thread that draws nothing concerns no document; without a listener it would end the process.
  worker.on('error', () => undefined)
  worker.once('exit', () => {
    if (thread === worker) thread = null
  })
  return worker
}

function endThread(): void {
  const ending = thread
  thread = null
  void ending?.terminate()
}

// Draws documents in a separate thread, because a document takes tens of milliseconds and would delay requests.

import type { Worker } from 'node:worker_threads'
import { startWorkerThread } from '../lib/index.ts'
import type { InvoiceDocument } from './invoice.ts'
import type { PosterDocument } from './poster.ts'
import { createDocumentQueue, type DocumentOwner } from './queue.ts'
import type { ReceiptDocument } from './receipt.ts'

/** The kind and the data of a document. */
export type Drawing =
  | { kind: 'invoice'; input: InvoiceDocument }
  | { kind: 'poster'; input: PosterDocument }
  | { kind: 'receipt'; input: ReceiptDocument }

/** The answer of the drawing thread: the PDF, or the reason why the thread could not draw it. */
export type Drawn = { pdf: Uint8Array } | { problem: string }

/** The timeout of one document in milliseconds, including the start of the thread. */
const DRAWING_MS_MAX = 20_000
/** The time in milliseconds after which the process ends an idle thread, to free its memory. */
const IDLE_MS = 10_000
/** The memory limits of the thread in MB. If the thread exceeds a limit, only the thread ends. */
const LIMITS = { maxOldGenerationSizeMb: 128 }

const inTurn = createDocumentQueue()
let thread: Worker | null = null
let idle: NodeJS.Timeout | undefined

/**
 * Draws a document as a PDF in the drawing thread. If the queue is full, refuses with service_unavailable. If the thread
 * crashes, only this document fails. A function as `drawing` reads the data at its turn, so that a refused document costs no
 * statement.
 */
export function drawDocument(owner: DocumentOwner, drawing: Drawing | (() => Promise<Drawing>)): Promise<Buffer> {
  return inTurn(owner, async () => drawInThread(typeof drawing === 'function' ? await drawing() : drawing))
}

async function drawInThread(drawing: Drawing): Promise<Buffer> {
  clearTimeout(idle)
  thread ??= startThread()
  const worker = thread
  worker.ref()
  try {
    const drawn = await waitForDrawing(worker, drawing)
    if ('problem' in drawn) throw new Error(`the drawing thread could not draw the ${drawing.kind}: ${drawn.problem}`)
    return Buffer.from(drawn.pdf.buffer, drawn.pdf.byteOffset, drawn.pdf.byteLength)
  } finally {
    worker.unref()
    idle = setTimeout(endThread, IDLE_MS).unref()
  }
}

/** Waits for the answer of the thread. If the thread dies or does not answer in time, ends the thread and throws. */
async function waitForDrawing(worker: Worker, drawing: Drawing): Promise<Drawn> {
  const { promise, resolve, reject } = Promise.withResolvers<Drawn>()
  const timeout = setTimeout(
    () => reject(new Error('the drawing thread did not answer before the timeout')),
    DRAWING_MS_MAX,
  )
  const ended = (code: number) => reject(new Error(`the drawing thread exited with code ${code}`))
  worker.once('message', resolve).once('error', reject).once('exit', ended)
  try {
    worker.postMessage(drawing)
    return await promise
  } catch (error) {
    endThread()
    throw new Error(`the drawing thread could not draw the ${drawing.kind}`, { cause: error })
  } finally {
    clearTimeout(timeout)
    worker.off('message', resolve).off('error', reject).off('exit', ended)
  }
}

function startThread(): Worker {
  const worker = startWorkerThread(new URL('./thread.ts', import.meta.url), { resourceLimits: LIMITS })
  // Without this listener, an error of an idle thread would end the process.
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

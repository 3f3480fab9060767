// Draws documents in the drawing thread, one at a time, in the order of the requests.

import { parentPort } from 'node:worker_threads'
import type { Drawing, Drawn } from './draw.ts'
import { invoicePdf } from './invoice.ts'
import { posterPdf } from './poster.ts'
import { receiptPdf } from './receipt.ts'

parentPort?.on('message', async (drawing: Drawing) => {
  parentPort?.postMessage(await drawn(drawing))
})

async function drawn(drawing: Drawing): Promise<Drawn> {
  try {
    return { pdf: await draw(drawing) }
  } catch (error) {
    return { problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function draw({ kind, input }: Drawing): Promise<Buffer> {
  if (kind === 'invoice') return invoicePdf(input)
  return kind === 'poster' ? posterPdf(input) : receiptPdf(input)
}

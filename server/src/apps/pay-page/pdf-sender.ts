// Sends PDF files to readers of a link. The process keeps the most recently requested documents in a cache, and does not draw a
// cached document again.

import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { VERSION } from '../../kernel/http/index.ts'
import { FILE_HEADERS } from './headers.ts'

/** A document: its facts, and the function that draws it. The same facts always give the same bytes. */
export type PdfDocument<Facts> = { filename: string; facts: Facts; draw(): Promise<Buffer> }

/** Sends a document as a PDF. If the drawing queue is full, refuses with service_unavailable. */
export type PdfSender = {
  send<Facts>(request: FastifyRequest, reply: FastifyReply, document: PdfDocument<Facts>): Promise<FastifyReply>
}

/** The highest number of documents in the cache. Each document has about 30 KB. */
const KEPT_MAX = 200

/** Makes the sender of a process, with an empty cache. */
export function createPdfSender(): PdfSender {
  const kept = new Map<string, Promise<Buffer>>()
  const bytesOf = (tag: string, draw: () => Promise<Buffer>): Promise<Buffer> => {
    const bytes = kept.get(tag) ?? draw()
    // The last entry of the map is the document that a reader requested last. If a drawing fails, the process removes the
    // document from the cache.
    kept.delete(tag)
    kept.set(tag, bytes)
    bytes.catch(() => kept.get(tag) === bytes && kept.delete(tag))
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_MAX) break
      kept.delete(oldest)
    }
    return bytes
  }

  return {
    async send(request, reply, { filename, facts, draw }) {
      const tag = etagOf(filename, facts)
      reply.headers({ ...FILE_HEADERS, 'cache-control': 'private, no-cache', etag: tag })
      if (request.headers['if-none-match']?.includes(tag)) return reply.code(304).send()
      try {
        const pdf = await bytesOf(tag, draw)
        return reply
          .headers({ 'content-type': 'application/pdf', 'content-disposition': `inline; filename="${filename}"` })
          .send(pdf)
      } catch (error) {
        reply.removeHeader('etag')
        throw error
      }
    },
  }
}

/**
 * Returns the ETag of a document: a hash of the server version, the file name and the facts. So the server can compare
 * documents without drawing.
 */
function etagOf(filename: string, facts: unknown): string {
  const text = JSON.stringify([VERSION, filename, facts], (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return `"${hash('sha256', text, 'base64url').slice(0, 32)}"`
}

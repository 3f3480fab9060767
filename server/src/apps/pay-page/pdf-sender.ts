// Sends PDFs to readers of a link. The process draws each document once and caches the newest documents.

import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { VERSION } from '../../kernel/http/index.ts'
import { FILE_HEADERS } from './headers.ts'

/** A document: its facts, and the function that draws the document. The same facts make the same bytes. */
export type PdfDocument<Facts> = { filename: string; facts: Facts; draw(): Promise<Buffer> }

/** Sends documents. If the drawing queue is full, refuses with service_unavailable. */
export type PdfSender = {
  send<Facts>(request: FastifyRequest, reply: FastifyReply, document: PdfDocument<Facts>): Promise<FastifyReply>
}

/** The number of documents that the process caches, about 30 KB each. */
const KEPT_MAX = 200

/** Makes the sender of one process, with its cache. */
export function createPdfSender(): PdfSender {
  const kept = new Map<string, Promise<Buffer>>()
  const bytesOf = (tag: string, draw: () => Promise<Buffer>): Promise<Buffer> => {
    const bytes = kept.get(tag) ?? draw()
    // The newest document is the last entry. A failed drawing leaves the cache.
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
 * Returns the ETag of a document. The ETag is a hash of the facts, so that the server can compare documents without
 * drawing them.
 */
function etagOf(filename: string, facts: unknown): string {
  const text = JSON.stringify([VERSION, filename, facts], (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return `"${hash('sha256', text, 'base64url').slice(0, 32)}"`
}

// PDFs for payers who have a link: the same document is drawn once, for all who ask for it.

import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { VERSION } from '../../kernel/http/index.ts'
import { FILE_HEADERS } from './headers.ts'

/** A document: what it shows, and what draws it from that. The same facts make the same bytes. */
export type Paper<Facts> = { filename: string; facts: Facts; draw(): Promise<Buffer> }

/** Sends documents. Refuses with service_unavailable when too many wait to be drawn. */
export type Papers = {
  send<Facts>(request: FastifyRequest, reply: FastifyReply, paper: Paper<Facts>): Promise<FastifyReply>
}

/** Some 30 KB each. */
const KEPT_MAX = 200

/** Makes the sender of one process, with the documents that were asked for last. */
export function createPapers(): Papers {
  const kept = new Map<string, Promise<Buffer>>()
  const bytesOf = (tag: string, draw: () => Promise<Buffer>): Promise<Buffer> => {
    const bytes = kept.get(tag) ?? draw()
    // The newest stands last; what could not be drawn is not kept.
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
      const tag = tagOf(filename, facts)
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

/** Names the bytes by what they are made from, so that nobody needs to draw them to know them. */
function tagOf(filename: string, facts: unknown): string {
  const text = JSON.stringify([VERSION, filename, facts], (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return `"${hash('sha256', text, 'base64url').slice(0, 32)}"`
}

// Reads the style sheet of the pages, and makes versions for the addresses of files, which browsers may then cache for a year.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyRequest } from 'fastify'

const FILE = new URL('../../../../web/ui/page.css', import.meta.url)

/** The style sheet. `version` changes when the content changes, and `path` contains the version. */
export type PageStyle = { text: Buffer; version: string; path: string }

let cached: PageStyle | null = null

/** Returns the style sheet. The process reads the file once. */
export function pageStyle(): PageStyle {
  if (cached) return cached
  const text = readFileSync(FILE)
  const version = contentVersion(text)
  cached = { text, version, path: `/assets/page.css?v=${version}` }
  return cached
}

/** Returns the version of a file for its address. A changed content gets another version. */
export function contentVersion(text: Buffer): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

const A_YEAR_S = 31_536_000

/**
 * Returns the seconds for which a browser may cache a file: a year if the address names this version, otherwise 0. So the
 * address of an old page gets the new file.
 */
export function yearIfCurrent(version: string): (request: FastifyRequest) => number {
  return ({ query }) => ((query as { v?: unknown }).v === version ? A_YEAR_S : 0)
}

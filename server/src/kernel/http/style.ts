// Serves the style sheet of all pages under a versioned address, which browsers may cache for a year.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const FILE = new URL('../../../../web/ui/page.css', import.meta.url)

/** The style sheet. `version` changes when the content changes, and `path` contains the version. */
export type PageStyle = { text: Buffer; version: string; path: string }

let cached: PageStyle | null = null

/** Returns the style sheet. The process reads the file once. */
export function pageStyle(): PageStyle {
  if (cached) return cached
  const text = readFileSync(FILE)
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16)
  cached = { text, version, path: `/assets/page.css?v=${version}` }
  return cached
}

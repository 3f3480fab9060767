// The style sheet that every page shares, and the address under which browsers may keep it for good.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const FILE = new URL('../../../../web/ui/page.css', import.meta.url)

/** The style sheet. `version` changes with its content; `path` names it. */
export type PageStyle = { text: Buffer; version: string; path: string }

let read: PageStyle | null = null

/** The style sheet as it was when this process first asked for it. */
export function pageStyle(): PageStyle {
  if (read) return read
  const text = readFileSync(FILE)
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16)
  read = { text, version, path: `/assets/page.css?v=${version}` }
  return read
}

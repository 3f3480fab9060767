// Makes the style element with a merchant's colour. The content security policy of the page contains the hash of the element.

import { hash } from 'node:crypto'

/** The CSS of one colour, and its SHA-256 hash for the content security policy. */
export type AccentStyle = { text: string; hash: string }

/** The share of the merchant's colour in the background of a chosen field. The rest is white. */
const TINT_SHARE = 0.08
const CACHE_MAX = 1_000

const cache = new Map<string, AccentStyle>()

/**
 * Returns the style of a colour (#rrggbb). In dark mode, only the main button has the colour, because a text in it would be hard
 * to read. In print, the page keeps its own colours. If the colour is null or has another format, returns null.
 */
export function accentStyle(color: string | null): AccentStyle | null {
  // The database stores only checked colours. This second check exists because an unchecked text could add CSS rules to the
  // page.
  if (color === null || !/^#[0-9a-f]{6}$/.test(color)) return null
  const known = cache.get(color)
  if (known) return known
  const light = `:root{--accent:${color};--accent-ink:#fff;--tint:${tintOf(color)}}`
  const dark = `.first{background:${color};border-color:var(--field);color:#fff}`
  const text = `@media screen and (prefers-color-scheme:light){${light}}@media screen and (prefers-color-scheme:dark){${dark}}`
  const style = { text, hash: `sha256-${hash('sha256', text, 'base64')}` }
  if (cache.size >= CACHE_MAX) cache.clear()
  cache.set(color, style)
  return style
}

/** Mixes `TINT_SHARE` of the colour into white. Returns #rrggbb. */
function tintOf(color: string): string {
  const mixed = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16)
    return Math.round(255 + (value - 255) * TINT_SHARE)
  })
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

// Makes the style of a merchant's colour: a second style element, whose hash the content security policy of the page contains.

import { hash } from 'node:crypto'

/** The style of one colour and its hash for the content security policy. */
export type AccentStyle = { text: string; hash: string }

/** The share of the colour in the ground of a chosen field. */
const TINT_SHARE = 0.08
const CACHE_MAX = 1_000

const cache = new Map<string, AccentStyle>()

/**
 * Returns the style of a colour (#rrggbb), for screens in light mode only: in dark mode and in print the page keeps its own colours.
 * Null means that the merchant has no colour.
 */
export function accentStyle(color: string | null): AccentStyle | null {
  // The database contains only checked colours. Another text could add rules to the page.
  if (color === null || !/^#[0-9a-f]{6}$/.test(color)) return null
  const known = cache.get(color)
  if (known) return known
  const text = `@media screen and (prefers-color-scheme:light){:root{--accent:${color};--accent-ink:#fff;--tint:${tintOf(color)}}}`
  const style = { text, hash: `sha256-${hash('sha256', text, 'base64')}` }
  if (cache.size >= CACHE_MAX) cache.clear()
  cache.set(color, style)
  return style
}

/** Mixes a little of the colour into white. */
function tintOf(color: string): string {
  const mixed = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16)
    return Math.round(255 + (value - 255) * TINT_SHARE)
  })
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

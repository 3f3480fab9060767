// Draws the logo of the product for the pages that the server renders. web/ui/icons.tsx draws the same logo in the consoles.

import { type Html, html } from '../lib/index.ts'

const GREEN = '#087348'
const VIOLET = '#4a3cb4'

/** Returns the logo as SVG: the letter M and a coin. `size` is in pixels. The style sheet sets the colours. */
export function logoHtml(size: number): Html {
  return html`<svg class="logo" width="${size}" height="${size}" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9"/><path d="M7.5 23.5V12l8.5 7.5 8.5-7.5v11.5"/><circle cx="16" cy="9.5" r="3.5"/></svg>`
}

const favicon = (ground: string) =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="${ground}"/><path d="M7.5 23.5V12l8.5 7.5 8.5-7.5v11.5" fill="none" stroke="#fff" stroke-width="3.6" stroke-linecap="round" stroke-linejoin="round"/><circle cx="16" cy="9.5" r="3.5" fill="#f5b83d"/></svg>`,
  )}`

/** The icon of a browser tab, as a data URL that needs no request. */
export const FAVICON = favicon(GREEN)
/** The icon of a browser tab for the pages of operators. */
export const OPERATOR_FAVICON = favicon(VIOLET)

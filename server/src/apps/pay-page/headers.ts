// Contains the HTTP headers of the pay page.

import { accentStyle } from './accent.ts'
import { payScript, payStyle } from './assets.ts'

/**
 * Returns the content security policy of a page. The page loads its script, pictures and data only from this server, and
 * applies only the styles with these hashes. No site may frame the page. `accent` is the hash of the merchant's style.
 */
const policyOf = (accent?: string) =>
  [
    "default-src 'none'",
    `style-src '${payStyle().hash}'${accent === undefined ? '' : ` '${accent}'`}`,
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

const DENIED_FEATURES = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'payment',
  'usb',
]

/**
 * The headers of a page without the merchant's colour. The headers hide the secret address of the page from other sites and
 * from caches.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policyOf(),
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'permissions-policy': DENIED_FEATURES.map((feature) => `${feature}=()`).join(', '),
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  vary: 'accept-encoding',
}

/** Returns the headers of a page with the merchant's colour (#rrggbb). Null means that the merchant has no colour. */
export function pageHeaders(accent_color: string | null): Readonly<Record<string, string>> {
  const style = accentStyle(accent_color)
  return style === null ? PAGE_HEADERS : { ...PAGE_HEADERS, 'content-security-policy': policyOf(style.hash) }
}

/** The headers of a PDF or a picture. With a stricter content security policy, the PDF viewers of browsers fail. */
export const FILE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The headers of the script. A browser may keep the script for a year, because a changed script has a new address. */
export const SCRIPT_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  etag: `"${payScript().version}"`,
  vary: 'accept-encoding',
}

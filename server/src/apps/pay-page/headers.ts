// What is sent with every page of a payer.

import { payScript, payStyle } from './assets.ts'

// The address of a page is what lets a payer pay: it goes to nobody else, and no machine writes it down. A page may run
// our one script and nothing else, and stand in nobody's frame.
const POLICY = [
  "default-src 'none'",
  `style-src '${payStyle().hash}'`,
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const NOTHING_OF = [
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

/** Headers of a page. No cookie is ever set for a payer. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'permissions-policy': NOTHING_OF.map((feature) => `${feature}=()`).join(', '),
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  vary: 'accept-encoding',
}

/**
 * Headers of a PDF or a picture. Only who may frame it is forbidden: browsers show PDFs with pages of their own, which a
 * stricter policy would break.
 */
export const FILE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Headers of the script, whose address changes with its content. */
export const SCRIPT_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  etag: `"${payScript().version}"`,
  vary: 'accept-encoding',
}

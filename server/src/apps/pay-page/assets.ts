// Reads the style sheet and the script of the pay page once per process.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** The style sheet that each page contains, and its hash for the content security policy. */
export type PayStyle = { text: string; hash: string }

/**
 * The script of the pay page: uncompressed, with brotli and with gzip. The path contains a hash of the script, so a changed
 * script has a new path.
 */
export type PayScript = { path: string; version: string; plain: Buffer; br: Buffer; gzip: Buffer }

const readAsset = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

const style = ((): PayStyle => {
  const text = squeeze(readAsset('./pay.css'))
  return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` }
})()

const script = ((): PayScript => {
  const plain = Buffer.from(withoutComments(readAsset('./pay.js')))
  const version = createHash('sha256').update(plain).digest('hex').slice(0, 16)
  return {
    path: `/pay/assets/pay.${version}.js`,
    version,
    plain,
    br: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    gzip: gzipSync(plain, { level: 9 }),
  }
})()

/** Returns the style sheet that each page contains. The process has read the file at its start. */
export function payStyle(): PayStyle {
  return style
}

/** Returns the script that each page loads. The process has read and compressed the file at its start. */
export function payScript(): PayScript {
  return script
}

/** Removes the lines of comments and the indentation of a script. No text of the script may have more than one line. */
function withoutComments(script: string): string {
  return script.replace(/^ *(?:\/\/|\/\*\*| \*).*\n/gm, '').replace(/^ +/gm, '')
}

/**
 * Removes comments and white space, because each page contains the style sheet. A quoted text in the style sheet must not need
 * its white space.
 */
function squeeze(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim()
}

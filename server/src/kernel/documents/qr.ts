// Makes QR codes in black on white with a quiet zone around them.

import { encode } from 'uqr'
import { type Html, html } from '../lib/index.ts'

/** The width of the white border in modules, which scanners need. */
export const QUIET_ZONE = 4

/**
 * Returns the modules of a QR code row by row, without the quiet zone. True means black. Null means that the text is too long.
 */
export function qrModules(text: string): boolean[][] | null {
  try {
    return encode(text.toWellFormed(), { ecc: 'M', border: 0 }).data
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Returns the start and the length of each sequence of black modules in a row. */
export function blackRuns(row: readonly boolean[]): { start: number; length: number }[] {
  const runs: { start: number; length: number }[] = []
  for (const [x, black] of row.entries()) {
    if (!black) continue
    const last = runs.at(-1)
    if (last !== undefined && last.start + last.length === x) last.length += 1
    else runs.push({ start: x, length: 1 })
  }
  return runs
}

/**
 * Returns a QR code as SVG with one path, black on white in every colour scheme. Screen readers read `label`. If the text has
 * more than 2331 bytes, throws a RangeError.
 */
export function qrSvg(text: string, options: { label: string }): Html {
  const modules = qrModules(text)
  if (modules === null) throw new RangeError('the text is too long for a QR code: the limit is 2331 bytes')
  const size = modules.length + 2 * QUIET_ZONE
  // The path draws each row as a dashed line. This path is far shorter than one with a square for each module.
  const path = modules.map((row, y) => {
    let end = 0
    const runs = blackRuns(row).map(({ start, length }, i) => {
      const move = i === 0 ? `M${start + QUIET_ZONE} ${y + QUIET_ZONE}.5` : `m${start - end} 0`
      end = start + length
      return `${move}h${length}`
    })
    return runs.join('')
  })
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" role="img" aria-label="${options.label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path stroke="#000" d="${path.join('')}"/></svg>`
}

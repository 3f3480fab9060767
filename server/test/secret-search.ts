// Searches for secrets in the log, in every row of every table and in every response. Finds the plain form and each readable
// encoding.

import type { World } from './harness.ts'

/** A text to search, with a name for messages. */
export type Place = { where: string; text: string }

/**
 * A secret with its name. `shown` matches the places that may contain the secret, because the caller receives the secret there.
 */
export type Secret = { name: string; value: string; shown?: RegExp }

const HEX = /^[0-9a-f]+$/

/**
 * Returns the readable forms of a text: plain, JSON, URL, hex, and base64 at each offset in a longer text. Omits forms of fewer
 * than six characters.
 */
export function writingsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  const writings = new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
  const hex = bytes.toString('hex')
  for (const writing of [hex, hex.toUpperCase()]) writings.add(writing)
  for (let before = 0; before < 3; before++) {
    // The first and last base64 characters also encode the neighbouring bytes. Only the characters between them encode the
    // secret alone.
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    const own = padded.toString('base64').slice(before === 0 ? 0 : before + 1, Math.floor((padded.length * 8) / 6) - 1)
    for (const writing of [own, own.replaceAll('+', '-').replaceAll('/', '_')]) writings.add(writing)
  }
  return [...writings].filter((writing) => writing.length >= 6)
}

/** Finds secrets in places that must not contain them. Names each secret with its place and the text around the secret. */
export function findSecrets(places: readonly Place[], secrets: readonly Secret[]): string[] {
  // One line per place is enough for a secret.
  const reported = new Set<string>()
  return secrets.flatMap(({ name, value, shown }) => {
    const writings = writingsOf(value)
    return places.flatMap(({ where, text }) => {
      if (shown?.test(where)) return []
      const found = writings.find((writing) => text.includes(writing))
      if (found === undefined || reported.has(`${name} ${where}`)) return []
      reported.add(`${name} ${where}`)
      const at = text.indexOf(found)
      const around = text.slice(Math.max(0, at - 120), at + found.length + 40).replace(/\s+/g, ' ')
      return [`${name} in ${where}, as ${found === value ? 'it is' : HEX.test(found) ? 'hex' : found}: ...${around}...`]
    })
  })
}

/** Returns every row of every table as text, with bytes as hex. */
export async function everyRow(world: World): Promise<Place[]> {
  const tables = await world.rows<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  )
  const places: Place[] = []
  for (const { name } of tables) {
    const rows = await world.rows<{ row: string }>(`select t::text as row from ${name} t`)
    for (const { row } of rows) places.push({ where: `table ${name}`, text: row })
  }
  return places
}

// Looking for secrets where none may be: in the log, in every row of every table, in every answer; as they are, and in each
// writing that hides nothing.

import type { World } from './harness.ts'

/** A place that was searched: its name, and what it holds. */
export type Place = { where: string; text: string }

/** A secret by its name. `shown`: the places that may show it, because whoever asked was to get it there. */
export type Secret = { name: string; value: string; shown?: RegExp }

const HEX = /^[0-9a-f]+$/

/** Every way to write a text that anybody can read back: itself, JSON, URL, hex, and base64 wherever it begins in a longer one. */
export function writingsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  const writings = new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
  const hex = bytes.toString('hex')
  for (const writing of [hex, hex.toUpperCase()]) writings.add(writing)
  for (let before = 0; before < 3; before++) {
    // What stands before and after shares its characters: only those in between are the secret's own.
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    const own = padded.toString('base64').slice(before === 0 ? 0 : before + 1, Math.floor((padded.length * 8) / 6) - 1)
    for (const writing of [own, own.replaceAll('+', '-').replaceAll('/', '_')]) writings.add(writing)
  }
  return [...writings].filter((writing) => writing.length >= 6)
}

/** Names the secrets that stand where they must not, each with its place and what surrounds it. */
export function findSecrets(places: readonly Place[], secrets: readonly Secret[]): string[] {
  // One line for each secret and place is enough to go by.
  const told = new Set<string>()
  return secrets.flatMap(({ name, value, shown }) => {
    const writings = writingsOf(value)
    return places.flatMap(({ where, text }) => {
      if (shown?.test(where)) return []
      const found = writings.find((writing) => text.includes(writing))
      if (found === undefined || told.has(`${name} ${where}`)) return []
      told.add(`${name} ${where}`)
      const at = text.indexOf(found)
      const around = text.slice(Math.max(0, at - 120), at + found.length + 40).replace(/\s+/g, ' ')
      return [`${name} in ${where}, as ${found === value ? 'it is' : HEX.test(found) ? 'hex' : found}: ...${around}...`]
    })
  })
}

/** Every row of every table, as text: bytes as hex. */
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

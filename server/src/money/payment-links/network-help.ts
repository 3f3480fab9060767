// Stores the help for payers who get no prompt: one entry for each network. Operators edit the texts, because networks change
// their menus.

import { type Deps, oneStatement, type Reader, sql, type Tx } from '../../kernel/db/index.ts'

/**
 * The help for payers of one network. `menu_code` is the USSD code of the network's menu. Null means that the help has no such
 * code.
 */
export type NetworkHelp = { code: string; name: string; menu_code: string | null; help_sw: string; help_en: string }

const WAITING_SW = 'Fungua menyu, chagua Lipa, kisha angalia maombi yanayosubiri na uthibitishe kwa PIN.'
const WAITING_EN = 'Open the menu, choose Pay, look for requests that wait, and confirm with your PIN.'
const builtInHelp = (code: string, name: string, menu_code: string | null): NetworkHelp => ({
  code,
  name,
  menu_code,
  help_sw: WAITING_SW,
  help_en: WAITING_EN,
})

/** The help for each network while the table has no rows. */
export const BUILT_IN_HELP: readonly NetworkHelp[] = [
  builtInHelp('MPESA', 'M-Pesa', '*150*00#'),
  builtInHelp('MIXX', 'Mixx by Yas', '*150*01#'),
  builtInHelp('AIRTEL', 'Airtel Money', '*150*60#'),
  builtInHelp('HALOPESA', 'HaloPesa', '*150*88#'),
]

const LIST = sql(
  'network_help_list',
  'select code, name, menu_code, help_sw, help_en from network_help order by position',
)

/** Returns the help for all networks, in the order in which pages show the networks. */
export async function listNetworkHelp(reader: Reader): Promise<readonly NetworkHelp[]> {
  const rows = await reader.query<NetworkHelp>(LIST)
  return rows.length > 0 ? rows : BUILT_IN_HELP
}

/** The time for which a process caches the help. The help has no effect on money. */
const FRESH_MS = 30_000

/** Returns the function with which pages read the help from a cache. */
export function createNetworkHelp(deps: Deps): () => Promise<readonly NetworkHelp[]> {
  let cached: { at: number; rows: Promise<readonly NetworkHelp[]> } | null = null
  return () => {
    const now = deps.clock.now().getTime()
    if (cached === null || Math.abs(now - cached.at) >= FRESH_MS) {
      const rows = listNetworkHelp(oneStatement(deps.db))
      cached = { at: now, rows }
      rows.catch(() => {
        cached = null
      })
    }
    return cached.rows
  }
}

// If two operators edit at the same time, the second edit waits, and then reads and replaces the result of the first edit.
const LOCK = sql('network_help_lock', 'lock table network_help in share row exclusive mode')
const CLEAR = sql('network_help_clear', 'delete from network_help')
const WRITE = sql(
  'network_help_write',
  `insert into network_help (code, position, name, menu_code, help_sw, help_en, updated_at)
   select code, position, name, menu_code, help_sw, help_en, $2
   from json_to_recordset($1::json) as x(code text, position smallint, name text, menu_code text, help_sw text, help_en text)`,
)

/** Locks the help against other changes until the transaction ends. */
export async function lockNetworkHelp(tx: Tx): Promise<void> {
  await tx.query(LOCK)
}

/** Replaces the help for all networks. An empty list restores the built-in help. */
export async function replaceNetworkHelp(deps: Deps, tx: Tx, rows: readonly NetworkHelp[]): Promise<void> {
  await tx.query(CLEAR)
  const numbered = rows.map((row, position) => ({ ...row, position }))
  await tx.query(WRITE, [JSON.stringify(numbered), deps.clock.now()])
}

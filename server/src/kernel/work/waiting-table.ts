// Describes tables of waiting rows. A row becomes due at `due_at`. If a process holds the lease of the row, `due_at` is the
// end of the lease.

/** A table whose rows wait until `due_at`. */
export type WaitingTable = {
  name: string
  key: readonly string[]
  returning: readonly string[]
  lane?: string
  /** The longest pause of a row without a lease. Null means no limit, because the row waits for a calendar day. */
  longest_pause_ms: number | null
  /** The column with the time at which the pause of a row without a lease began. */
  written: 'updated_at' | 'created_at'
}

/**
 * Returns the next higher id. Rows that belong to no merchant have the id of zeros, so a pass starts at an id and not after
 * an id.
 */
export function nextId(id: string): string {
  const hex = ((BigInt(`0x${id.replaceAll('-', '')}`) + 1n) % (1n << 128n)).toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

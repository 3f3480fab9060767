// Describes the PostgreSQL errors that an operator can repair, without a stack.

import { adminCommand } from '../lib/index.ts'

const DAMAGED =
  'a file of the database is damaged. Pause the payouts, and follow "A corrupted page" of docs/operate/disasters.md'
/** The remedies by SQLSTATE: the instructions for the operator. */
const REMEDIES: Readonly<Record<string, string>> = {
  '28P01': 'correct the user and the password in DATABASE_URL',
  '28000': 'correct the user in DATABASE_URL, or pg_hba.conf of PostgreSQL',
  '3D000': 'correct the name of the database in DATABASE_URL, or create the database',
  '42501': `run "${adminCommand('migrate')}" with MIGRATION_DATABASE_URL, which grants the role of the server its rights`,
  '42P01': `run "${adminCommand('migrate')}"`,
  XX001: DAMAGED,
  XX002: DAMAGED,
  '53300': 'raise max_connections of PostgreSQL, or stop other programs',
}

/** Returns the message of an error and its remedy. Null means that the error has no known remedy. */
export function describeRefusal(error: unknown): string | null {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const remedy = Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined
  return remedy === undefined ? null : `${message.split('\n')[0]}: ${remedy}`
}

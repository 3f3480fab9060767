// Reads and writes files of the embedded database. A file may be missing. Writes are atomic, and only the owner can read a
// written file.

import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'

/** A user account of the operating system. */
export type User = { uid: number; gid: number }

/** Returns the SHA-256 of a text as hex. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Returns true if a file or folder exists at `path`. If this user cannot reach the path, returns false. */
export async function exists(path: string): Promise<boolean> {
  return fs.access(path).then(
    () => true,
    () => false,
  )
}

/** Returns the JSON of a file. Null means that the file does not exist. */
export async function readJsonFile<T>(path: string): Promise<T | null> {
  const text = await readIfPresent(path)
  return text === null ? null : (JSON.parse(text) as T)
}

/**
 * Returns the text of a file. Null means that the file does not exist. If this user may not read the file, throws an Error with
 * instructions for the operator.
 */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await fs.readFile(path, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return null
    if (code === 'EACCES') throw new Error(`this user may not read ${path}: run this program as the owner of that file`)
    throw error
  }
}

/** Replaces a file atomically. Only the owner of the file can read the new file. */
export async function writePrivately(path: string, value: object, owner: User): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}`
  await fs.writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  if (process.getuid?.() === 0) await giveTo(owner, temporary)
  await fs.rename(temporary, path)
}

/** Makes a user the owner of a path. If the user is null, keeps the current owner. */
export async function giveTo(user: User | null, path: string): Promise<void> {
  if (user !== null) await fs.chown(path, user.uid, user.gid)
}

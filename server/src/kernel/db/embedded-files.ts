// Files of the embedded database: read if they are there, and replaced as a whole for their owner alone.

import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'

/** An account of the operating system. */
export type User = { uid: number; gid: number }

/** SHA-256 as hex. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Whether there is a file or folder at `path` that this user can see. */
export async function exists(path: string): Promise<boolean> {
  return fs.access(path).then(
    () => true,
    () => false,
  )
}

/** The JSON of a file, or null when there is none. */
export async function readJson<T>(path: string): Promise<T | null> {
  const text = await readIfThere(path)
  return text === null ? null : (JSON.parse(text) as T)
}

/** The text of a file, or null when there is none. Throws an Error for the operator when another user owns it. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await fs.readFile(path, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return null
    if (code === 'EACCES') throw new Error(`${path} belongs to another user: run this as the user who owns it`)
    throw error
  }
}

/** Replaces a file as a whole, for its owner's eyes only. */
export async function writePrivately(path: string, value: object, owner: User): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}`
  await fs.writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  if (process.getuid?.() === 0) await giveTo(owner, temporary)
  await fs.rename(temporary, path)
}

/** Gives a path to a user; null: it stays with this one. */
export async function giveTo(user: User | null, path: string): Promise<void> {
  if (user !== null) await fs.chown(path, user.uid, user.gid)
}

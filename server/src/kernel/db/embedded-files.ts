// Files of the embedded database: optional reads, and atomic writes that only their owner can read.

import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'

/** An account of the operating system. */
export type User = { uid: number; gid: number }

/** SHA-256 as hex. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** True if this user can see a file or folder at `path`. */
export async function exists(path: string): Promise<boolean> {
  return fs.access(path).then(
    () => true,
    () => false,
  )
}

/** The JSON of a file. Null means that the file does not exist. */
export async function readJsonFile<T>(path: string): Promise<T | null> {
  const text = await readIfPresent(path)
  return text === null ? null : (JSON.parse(text) as T)
}

/** The text of a file. Null means that the file does not exist. Throws an Error for the operator if another user owns it. */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await fs.readFile(path, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return null
    if (code === 'EACCES') throw new Error(`${path} belongs to another user: run this as the user who owns it`)
    throw error
  }
}

/** Replaces a file atomically. Only its owner can read it. */
export async function writePrivately(path: string, value: object, owner: User): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}`
  await fs.writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  if (process.getuid?.() === 0) await giveTo(owner, temporary)
  await fs.rename(temporary, path)
}

/** Makes a user the owner of a path. Null keeps the current owner. */
export async function giveTo(user: User | null, path: string): Promise<void> {
  if (user !== null) await fs.chown(path, user.uid, user.gid)
}

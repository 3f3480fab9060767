// Takes locks of folders on this machine. A lock is an abstract socket. If the process ends, the kernel frees the socket.

import * as fs from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { basename, dirname, join, resolve } from 'node:path'
import { hash } from './embedded-files.ts'

/** A lock of a folder that this process holds. */
export type FolderLock = Pick<Server, 'close'>

/**
 * Takes the lock of a folder for a purpose. Null means that this or another process holds the lock. `folder` is a real path;
 * the folder need not exist.
 */
export async function tryLockFolder(purpose: string, folder: string): Promise<FolderLock | null> {
  const server = createServer((socket) => socket.destroy())
  const code = await new Promise<string | undefined>((done) => {
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code))
    server.listen(`\0malipo-${purpose}-${hash(folder)}`, () => done('held'))
  })
  if (code === 'held') return server
  if (code === 'EADDRINUSE') return null
  throw new Error(`this process cannot lock ${folder} (${code}): let the process open Unix sockets`)
}

/**
 * Returns the real path of a folder that need not exist: the real path of its nearest existing parent, and the rest.
 */
export async function realFolder(path: string): Promise<string> {
  const folder = resolve(path)
  const parent = dirname(folder)
  return await fs
    .realpath(folder)
    .catch(async () => (parent === folder ? folder : join(await realFolder(parent), basename(folder))))
}

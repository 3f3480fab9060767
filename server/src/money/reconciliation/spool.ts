// Stores uploaded files on disk, so that the process needs little memory. The server removes the name of the file, so that the
// operating system deletes the file when the process ends.

import { createHash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refuse } from '../../kernel/lib/index.ts'
import type { StatementFile } from './file.ts'

/** A readable file, which the caller closes. */
export type SpooledFile = Omit<StatementFile, 'name'> & { bytes: number; close(): Promise<void> }

const CHUNK_BYTES = 256 * 1024

/** Writes a stream to a file. If the stream has more than `bytes_max`, refuses it with payload_too_large. */
export async function spool(stream: AsyncIterable<Uint8Array>, bytes_max: number): Promise<SpooledFile> {
  const handle = await openUnlinkedFile()
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of stream) {
      bytes += chunk.length
      if (bytes > bytes_max) {
        refuse('payload_too_large', {
          message: `The file is too large. The limit is ${Math.floor(bytes_max / 1024 / 1024)} MiB. Import a shorter period.`,
        })
      }
      hash.update(chunk)
      await handle.write(chunk)
    }
    return { sha256: hash.digest(), bytes, open: () => readChunks(handle), close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Opens the file at a path and computes its hash. The caller closes the file. */
export async function openFile(path: string): Promise<SpooledFile> {
  const handle = await open(path, 'r')
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of readChunks(handle)) {
      hash.update(chunk)
      bytes += chunk.length
    }
    return { sha256: hash.digest(), bytes, open: () => readChunks(handle), close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Opens a new file and removes its name. The operating system deletes the file when the process closes the file or the process
 * ends.
 */
async function openUnlinkedFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-statement-'))
  try {
    return await open(join(folder, 'file'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function* readChunks(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    // Each chunk needs a separate buffer, because the reader may still use the previous chunk.
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

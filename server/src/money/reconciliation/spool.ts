// Taking in a file that is uploaded: it is kept on disk under no name, so that memory stays small and nothing is left behind,
// however this process ends.

import { createHash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refuse } from '../../kernel/lib/index.ts'
import type { StatementFile } from './file.ts'

/** A file that came in. Close it when it is not needed any more. */
export type Spooled = Omit<StatementFile, 'name'> & { bytes: number; close(): Promise<void> }

const CHUNK_BYTES = 256 * 1024

/** Takes in a stream. Refuses with payload_too_large what has more than `bytes_max`. */
export async function spool(stream: AsyncIterable<Uint8Array>, bytes_max: number): Promise<Spooled> {
  const handle = await openNameless()
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of stream) {
      bytes += chunk.length
      if (bytes > bytes_max) {
        refuse('payload_too_large', {
          message: `The file is too large. The limit is ${Math.floor(bytes_max / 1024 / 1024)} MiB.`,
        })
      }
      hash.update(chunk)
      await handle.write(chunk)
    }
    return { sha256: hash.digest(), bytes, open: () => chunksOf(handle), close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A file at a path, with its hash. Close it when it is not needed any more. */
export async function openFile(path: string): Promise<Spooled> {
  const handle = await open(path, 'r')
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of chunksOf(handle)) {
      hash.update(chunk)
      bytes += chunk.length
    }
    return { sha256: hash.digest(), bytes, open: () => chunksOf(handle), close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A file that has lost its name already: it is gone when it is closed, or when the process ends. */
async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-statement-'))
  try {
    return await open(join(folder, 'file'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    // A buffer for each chunk: whoever reads may still hold the one before.
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

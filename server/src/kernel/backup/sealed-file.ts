/**
 * Writes and reads the files of a backup: chunks of 1 MiB, compressed with zstd and encrypted with AES-256-GCM. The key of a
 * file depends on its name and a random salt; a nonce contains the chunk number. So the reader detects a missing, changed or
 * moved chunk.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import type { Random } from '../lib/index.ts'
import { BackupError } from './error.ts'

/** BACKUP_KEY in bytes, with a public id that does not reveal the key. */
export type BackupKey = { id: string; bytes: Buffer }

/** The length in bytes and the SHA-256 of a file before compression and encryption. */
export type FileSum = { size: number; sha256: string }

const MARK = Buffer.from('malipo backup 1\n')
const SALT_BYTES = 16
const TAG_BYTES = 16
const CHUNK_BYTES = 1_048_576
/** The largest encrypted chunk in bytes: compression makes an incompressible chunk slightly longer. */
const FRAME_BYTES_MAX = CHUNK_BYTES + 65_536
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Decodes BACKUP_KEY from base64. The key has 32 bytes. */
export function backupKeyOf(text: string): BackupKey {
  const bytes = Buffer.from(text, 'base64')
  const id = createHmac('sha256', bytes).update('malipo backup key id').digest('hex').slice(0, 8)
  return { id, bytes }
}

/** Returns the keyed hash of a text in hexadecimal. The hash proves that a program with the key wrote the text. */
export function macOf(key: BackupKey, text: string): string {
  return createHmac('sha256', derive(key, Buffer.alloc(0), 'manifest'))
    .update(text)
    .digest('hex')
}

function derive(key: BackupKey, salt: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key.bytes, salt, `malipo backup: ${info}`, 32))
}

function nonceOf(chunk: number, is_last: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(chunk, 4)
  nonce.writeUInt8(is_last ? 1 : 0, 11)
  return nonce
}

/**
 * Encrypts `source` into the new file `target` and flushes `target` to disk. Only a reader with the same `name` can decrypt the
 * file. If a database changes `source` during the copy, `target` contains the bytes that each read returned.
 */
export async function sealFile(
  { key, random }: { key: BackupKey; random: Random },
  name: string,
  source: string | Uint8Array,
  target: string,
): Promise<FileSum> {
  const input = typeof source === 'string' ? await fs.open(source, 'r') : null
  try {
    const output = await fs.open(target, 'wx', 0o600)
    try {
      const salt = random.bytes(SALT_BYTES)
      const file_key = derive(key, salt, `file ${name}`)
      // The first write contains the head and the first chunk, so a small file needs one write.
      let head = Buffer.concat([MARK, salt])
      const hash = createHash('sha256')
      let size = 0
      const read = async (): Promise<Buffer> => {
        if (input === null) return Buffer.from((source as Uint8Array).subarray(size, size + CHUNK_BYTES))
        return readFully(input, CHUNK_BYTES)
      }
      for (let chunk = 0, is_last = false; !is_last; chunk += 1) {
        const bytes = await read()
        is_last = bytes.length < CHUNK_BYTES
        hash.update(bytes)
        size += bytes.length
        const cipher = createCipheriv('aes-256-gcm', file_key, nonceOf(chunk, is_last))
        const body = cipher.update(await compress(bytes, FAST))
        cipher.final()
        const length = Buffer.alloc(4)
        length.writeUInt32BE(body.length + TAG_BYTES)
        await output.write(Buffer.concat([head, length, body, cipher.getAuthTag()]))
        head = Buffer.alloc(0)
      }
      await output.sync()
      return { size, sha256: hash.digest('hex') }
    } finally {
      await output.close()
    }
  } finally {
    await input?.close()
  }
}

/**
 * Decrypts the file `source` into the new file `target`. If the file is missing, shortened or changed, throws a BackupError.
 */
export async function unsealFile(key: BackupKey, name: string, source: string, target: string): Promise<FileSum> {
  const output = await fs.open(target, 'wx', 0o600)
  try {
    return await readSealed(key, name, source, async (bytes) => void (await output.write(bytes)))
  } finally {
    await output.close()
  }
}

/**
 * Decrypts the file `source` and passes each chunk to `take`. Returns the length and the SHA-256 of the decrypted content.
 */
export async function readSealed(
  key: BackupKey,
  name: string,
  source: string,
  take: (bytes: Buffer) => Promise<void>,
): Promise<FileSum> {
  const input = await fs.open(source, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(
      `${source} is missing or unreadable (${error.code}): copy the whole backup again, or use another backup`,
    )
  })
  try {
    const head = await readFully(input, MARK.length + SALT_BYTES)
    if (head.length < MARK.length + SALT_BYTES) throw cutShort(source)
    if (!head.subarray(0, MARK.length).equals(MARK)) throw changed(source)
    const file_key = derive(key, head.subarray(MARK.length), `file ${name}`)
    const hash = createHash('sha256')
    let size = 0
    for (let chunk = 0; ; chunk += 1) {
      const frame = await readFrame(input, source)
      const opened = openFrame(file_key, chunk, frame)
      if (opened === null) throw changed(source)
      const bytes = await decompress(opened.body)
      hash.update(bytes)
      size += bytes.length
      await take(bytes)
      if (opened.is_last) break
    }
    if ((await readFully(input, 1)).length > 0) throw changed(source)
    return { size, sha256: hash.digest('hex') }
  } finally {
    await input.close()
  }
}

function openFrame(file_key: Buffer, chunk: number, frame: Buffer): { body: Buffer; is_last: boolean } | null {
  const end = frame.length - TAG_BYTES
  for (const is_last of [false, true]) {
    const decipher = createDecipheriv('aes-256-gcm', file_key, nonceOf(chunk, is_last), { authTagLength: TAG_BYTES })
    decipher.setAuthTag(frame.subarray(end))
    const body = decipher.update(frame.subarray(0, end))
    try {
      decipher.final()
      return { body, is_last }
    } catch {
      // After the first failure, the loop tries the nonce of the last chunk. A second failure means that the chunk has changed.
    }
  }
  return null
}

async function readFrame(input: fs.FileHandle, source: string): Promise<Buffer> {
  const head = await readFully(input, 4)
  if (head.length < 4) throw cutShort(source)
  const length = head.readUInt32BE()
  if (length < TAG_BYTES || length > FRAME_BYTES_MAX) throw changed(source)
  const frame = await readFully(input, length)
  if (frame.length < length) throw cutShort(source)
  return frame
}

async function readFully(input: fs.FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await input.read(buffer, filled, length - filled, null)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

const cutShort = (path: string) =>
  new BackupError(`${path} is cut short: copy the whole backup again, or use another backup`)
const changed = (path: string) =>
  new BackupError(
    `${path} has changed since the backup, or is a file of another backup: copy the file again, or use another backup`,
  )

/** Flushes the entries of a folder to disk, so that new and renamed files survive a power failure. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Renames a finished file or folder and flushes the parent folder, so that the new name survives a power failure. */
export async function rename(from: string, to: string): Promise<void> {
  await fs.rename(from, to)
  await flushFolder(dirname(to))
}

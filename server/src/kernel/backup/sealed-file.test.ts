// Tests that a decrypted backup file equals its source, and that the reader refuses a shortened, changed or exchanged file.

import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemRandom } from '../lib/index.ts'
import { BackupError } from './error.ts'
import { backupKeyOf, sealFile, unsealFile } from './sealed-file.ts'

const random = systemRandom()
const KEY = backupKeyOf(Buffer.alloc(32, 1).toString('base64'))
const OTHER_KEY = backupKeyOf(Buffer.alloc(32, 2).toString('base64'))
const CHUNK = 1_048_576

const folder = mkdtempSync(join(tmpdir(), 'sealed-'))
after(() => rm(folder, { recursive: true, force: true }))
let files = 0
const newPath = () => join(folder, `file-${files++}`)

async function sealed(bytes: Uint8Array, name = 'one'): Promise<string> {
  const path = newPath()
  await sealFile({ key: KEY, random }, name, bytes, path)
  return path
}

const refused = (path: string, message: RegExp, { key = KEY, name = 'one' } = {}) =>
  assert.rejects(
    unsealFile(key, name, path, newPath()),
    (error: Error) => error instanceof BackupError && message.test(error.message) && error.message.startsWith(path),
  )

test('a reader gets a sealed file with its length and checksum, even if the file is empty or ends with a full chunk', async () => {
  for (const length of [0, 1, CHUNK - 1, CHUNK, 2 * CHUNK + 7]) {
    const bytes = Buffer.from(random.bytes(64))
      .toString('hex')
      .repeat(Math.ceil(length / 128))
      .slice(0, length)
    const [source, target, back] = [newPath(), newPath(), newPath()]
    await writeFile(source, bytes)
    const written = await sealFile({ key: KEY, random }, 'one', source, target)
    assert.deepEqual(await unsealFile(KEY, 'one', target, back), written)
    assert.equal(written.size, length)
    assert.equal(await readFile(back, 'utf8'), bytes)
    assert.ok(length < 64 || !(await readFile(target)).includes(bytes.slice(0, 64)), 'the file is encrypted')
  }
})

test('a reader refuses a shortened file', async () => {
  const whole = await readFile(await sealed(Buffer.alloc(CHUNK + 100, 'malipo')))
  for (const length of [0, 10, 20, 33, 40, whole.length - 130, whole.length - 1]) {
    const path = newPath()
    await writeFile(path, whole.subarray(0, length))
    await refused(path, /is cut short: copy the whole backup again, or use another backup/)
  }
})

test('a reader refuses a file without its last chunk, although the other chunks are whole', async () => {
  const path = await sealed(Buffer.alloc(CHUNK + 100, 'malipo'))
  const whole = await readFile(path)
  const first = 32 + 4 + whole.readUInt32BE(32)
  await writeFile(path, whole.subarray(0, first))
  await refused(path, /is cut short/)
})

test('a reader refuses a file with one changed bit, more bytes, another name or another key', async () => {
  const whole = await readFile(await sealed(Buffer.from('Asha pays')))
  for (const at of [3, 20, 40, whole.length - 1]) {
    const path = newPath()
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] as number) ^ 1
    await writeFile(path, changed)
    await refused(path, /has changed since the backup, or is a file of another backup/)
  }
  const longer = newPath()
  await writeFile(longer, Buffer.concat([whole, Buffer.from('x')]))
  await refused(longer, /has changed/)
  await refused(await sealed(Buffer.from('x')), /has changed/, { name: 'two' })
  await refused(await sealed(Buffer.from('x')), /has changed/, { key: OTHER_KEY })
})

test('a reader refuses a missing file and names its path', () =>
  refused(join(folder, 'none'), /is missing or unreadable \(ENOENT\)/))

// Tests the file that names the port of the running server.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { announcePort, findServerPort } from './port-file.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'malipo-port-'))
})
after(() => rm(folder, { recursive: true, force: true }))

test('a command finds the port of the running server, and no port after the server has stopped', async () => {
  const data_dir = join(folder, 'data')
  assert.equal(await findServerPort(data_dir), null)
  const remove = await announcePort(data_dir, 4711)
  assert.equal(await findServerPort(data_dir), 4711)
  const removeNewer = await announcePort(data_dir, 4712)
  assert.equal(await findServerPort(data_dir), 4712)
  await removeNewer()
  await remove()
  assert.deepEqual([await findServerPort(data_dir), await readdir(data_dir)], [null, []])
})

test('a command finds no port of a killed server, and a stopping server keeps the file of another server', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  const file = join(folder, 'server.json')
  const remove = await announcePort(folder, 4711)
  await writeFile(file, JSON.stringify({ port: 4713, pid }))
  assert.equal(await findServerPort(folder), null)
  await remove()
  assert.ok((await stat(file)).isFile())
})

test('a command finds no port in a damaged file, and a server without write access to the folder causes no error', async () => {
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '{"port": "80", "pid": 1}',
    '{"port": 0, "pid": 1}',
    '{"port": 80, "pid": -1}',
  ]) {
    await writeFile(join(folder, 'server.json'), text)
    assert.equal(await findServerPort(folder), null, text)
  }
  const remove = await announcePort(join(folder, 'server.json', 'below'), 4711)
  await remove()
})

test('a server that writes the port file does not follow a link with the name of its unfinished file', async () => {
  const data_dir = await mkdtemp(join(folder, 'linked-'))
  const target = join(folder, 'target')
  await writeFile(target, 'kept')
  await symlink(target, join(data_dir, `server.json.${process.pid}`))
  const remove = await announcePort(data_dir, 4711)
  assert.equal(await findServerPort(data_dir), 4711)
  assert.equal(await readFile(target, 'utf8'), 'kept')
  await remove()
})

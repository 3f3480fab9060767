// Tests `admin doctor` without a database, and the server with a missing database or a PostgreSQL that is too old.

import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { testServer } from '../database.ts'
import { endOf, ROOT, serverEnv, startChild } from './processes.ts'

const ADMIN = `${ROOT}server/src/admin.ts`
const NO_DATABASE = 'postgres://nobody:hidden-word@127.0.0.1:9/none'

async function run(env: Record<string, string>, entry: string | undefined, line: string) {
  const child = startChild(env, entry, line === '' ? [] : line.split(' '))
  const { code } = await endOf(child, 120_000)
  return { code, output: child.output() }
}

test('admin doctor runs without a server, a database or valid settings, and exits with code 1 if a check fails', async () => {
  const [no_database, invalid, empty] = await Promise.all([
    run(serverEnv(NO_DATABASE), ADMIN, 'doctor --json'),
    run(serverEnv(NO_DATABASE, { PORT: 'x' }), ADMIN, 'doctor'),
    run(serverEnv('', { PORT: '9' }), ADMIN, 'doctor --json'),
  ])
  assert.equal(no_database.code, 1)
  const { ok, checks, ...rest } = JSON.parse(no_database.output)
  assert.deepEqual([ok, rest], [false, {}])
  const failed = checks.filter(({ status }: { status: string }) => status === 'fail')
  assert.deepEqual(
    failed.map(({ name }: { name: string }) => name),
    ['database'],
  )
  assert.match(failed[0].message, /does not answer .*ECONNREFUSED.*: check DATABASE_URL, and that PostgreSQL runs/)
  assert.doesNotMatch(no_database.output, /hidden-word|\n\s+at /)

  assert.equal(invalid.code, 1)
  assert.match(invalid.output, /^fail {2}settings +PORT must be a number from 0 to 65535/m)
  assert.match(invalid.output, /^At least one check failed\.$/m)

  assert.equal(empty.code, 0, empty.output)
  assert.match(empty.output, /"name":"database","status":"warn","message":"the embedded database in .* does not run/)
})

test('the server names a missing database and the remedy in one sentence', async () => {
  const url = new URL(testServer().adminUrl)
  url.pathname = '/no_such_database'
  const { code, output } = await run(serverEnv(url.href), undefined, '')
  assert.equal(code, 1)
  assert.match(
    output,
    /^The database refuses the process\. .*no_such_database.*: correct the name of the database in DATABASE_URL, or create/m,
  )
  assert.doesNotMatch(output, /\n\s+at |"stack"/)
})

test('the server refuses a PostgreSQL that is too old, and names the version and the remedy', async (t) => {
  const postgres = createServer(answerAsVersion14).listen(0, '127.0.0.1')
  t.after(() => postgres.close())
  await new Promise((resolve) => postgres.once('listening', resolve))
  const env = serverEnv(`postgres://a:b@127.0.0.1:${(postgres.address() as AddressInfo).port}/c`)
  const server = await run(env, undefined, '')
  assert.equal(server.code, 1)
  assert.match(server.output, /PostgreSQL 14\.5 is too old: upgrade the database server to PostgreSQL 15 to 18/)
  assert.doesNotMatch(server.output, /\n\s+at /)
})

/** Answers every query as PostgreSQL 14, with one row of the columns `version` and `name`. */
function answerAsVersion14(socket: Socket): void {
  const message = (type: string, body: Buffer) => {
    const head = Buffer.alloc(5)
    head.write(type)
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }
  const field = (name: string, type: number) => {
    const rest = Buffer.alloc(18)
    rest.writeInt32BE(type, 6)
    return Buffer.concat([Buffer.from(`${name}\0`), rest])
  }
  const value = (text: string) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(text.length)
    return Buffer.concat([length, Buffer.from(text)])
  }
  const two = Buffer.from([0, 2])
  const ready = message('Z', Buffer.from('I'))
  const row = [
    message('T', Buffer.concat([two, field('version', 23), field('name', 25)])),
    message('D', Buffer.concat([two, value('140005'), value('14.5')])),
    message('C', Buffer.from('SELECT 1\0')),
    ready,
  ]
  let started = false
  socket.on('error', () => {})
  socket.on('data', (data) => {
    if (!started) {
      started = true
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]))
    } else if (data[0] === 'Q'.charCodeAt(0)) socket.write(Buffer.concat(row))
  })
}

// Tests how the programs read their settings: the file of settings, the check of the settings, and wrong command lines.

import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createTestDatabase } from '../database.ts'
import { freePort } from '../free-port.ts'
import { type Child, endOf, ROOT, serverEnv, startChild, until } from './processes.ts'

const ADMIN = join(ROOT, 'server/src/admin.ts')
/** The address of a database that does not exist: no process listens on its port. */
const NO_DATABASE = 'postgres://nobody:nothing@127.0.0.1:9/none'
const KEY = Buffer.alloc(32, 7).toString('base64')

const children: Child[] = []
after(async () => {
  for (const child of children) await child.kill()
})

/** Runs an admin command to its end. `line` contains the words of the command. */
async function admin(env: Record<string, string>, line: string): Promise<{ code: number | null; output: string }> {
  const child = startChild(env, ADMIN, line.split(' '))
  children.push(child)
  return { code: (await endOf(child, 120_000)).code, output: child.output() }
}

test('an admin command with an unknown option prints its help and exits with code 2', async () => {
  const [parsed, known] = await Promise.all([
    admin(serverEnv(NO_DATABASE), 'verify --frob'),
    admin(serverEnv(NO_DATABASE), 'config check --email a@b.tz'),
  ])
  assert.deepEqual([parsed.code, known.code], [2, 2])
  assert.match(parsed.output, /^.*--frob.*\n\nUsage: npm run -s admin -- verify\n/)
  assert.match(known.output, /^.*--email.*\n\nUsage: npm run -s admin -- config check\n/)
})

test('admin secrets status makes no database in an empty folder', async () => {
  const env = serverEnv('')
  const { code, output } = await admin(env, 'secrets status')
  assert.equal(code, 1)
  assert.match(output, /has no database, and DATABASE_URL is empty\. Set DATA_DIR or DATABASE_URL/)
  assert.deepEqual(readdirSync(env.DATA_DIR as string), [])
})

test('admin config check prints the settings with their sources, masks secrets, and fails for a mistyped name', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'check-')), 'malipo.env')
  writeFileSync(file, 'LOG_LEVEL=error\nFOUR_EYE_AMOUNT=5\nMOCK_SECRET=not-to-be-shown\n', { mode: 0o600 })
  const { LOG_LEVEL, ...env } = serverEnv(NO_DATABASE, { MALIPO_ENV: file })
  const [mistyped, right] = await Promise.all([
    admin(env, 'config check --json'),
    admin(serverEnv(NO_DATABASE), 'config check'),
  ])
  assert.equal(mistyped.code, 1)
  const { ok, settings, problems } = JSON.parse(mistyped.output)
  assert.equal(ok, false)
  assert.deepEqual(problems, [
    `FOUR_EYE_AMOUNT of ${file} is no setting and has no effect; the nearest setting is FOUR_EYES_AMOUNT`,
  ])
  const named = (name: string) => settings.find((one: { name: string }) => one.name === name)
  assert.deepEqual(named('LOG_LEVEL'), { name: 'LOG_LEVEL', value: 'error', source: file })
  assert.deepEqual(named('MOCK_SECRET'), { name: 'MOCK_SECRET', value: '***', source: file })
  assert.deepEqual(named('DATABASE_URL'), { name: 'DATABASE_URL', value: '***', source: 'environment' })
  assert.equal(right.code, 0, right.output)
  assert.match(right.output, /^PORT=8080 {2}\(default\)$[\s\S]*^No problems\.$/m)
})

test('an admin command refuses a missing file of settings, and the server refuses a file with a secret that every user can read', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'exposed-')), 'malipo.env')
  writeFileSync(file, `SECRET_KEY=${KEY}\nPORT=x\n`)
  chmodSync(file, 0o644)
  const { SECRET_KEY, ...env } = serverEnv(NO_DATABASE, { MALIPO_ENV: file })
  const server = startChild(env)
  children.push(server)
  const [missing, exposed] = await Promise.all([
    admin({ ...env, MALIPO_ENV: '/nowhere/malipo.env' }, 'config check'),
    endOf(server, 120_000),
  ])
  assert.equal(missing.code, 1)
  assert.match(missing.output, /^- MALIPO_ENV: .*cannot read the file of settings \/nowhere\/malipo\.env \(ENOENT\)/m)
  assert.equal(exposed.code, 1)
  assert.match(server.output(), /^SECRET_KEY must not be in a file that every user can read .*644\. Run: chmod 640/m)
  assert.doesNotMatch(server.output(), new RegExp(KEY.slice(0, 20)))
})

test('on SIGHUP a server applies the log level, a rate limit and the addresses of operators, and names the settings that need a restart', async (t) => {
  const database = await createTestDatabase()
  const file = join(mkdtempSync(join(tmpdir(), 'reload-')), 'malipo.env')
  const write = (text: string) => writeFileSync(file, text, { mode: 0o600 })
  write('LOG_LEVEL=warn\nRATE_LIMIT_PER_ADDRESS=0\nBRAND_NAME=One\n')
  const { LOG_LEVEL, RATE_LIMIT_PER_ADDRESS, ...env } = serverEnv(database.url, {
    MALIPO_ENV: file,
    PORT: String(await freePort()),
  })
  const server = startChild(env)
  t.after(async () => {
    await server.kill()
    await database.drop()
  })
  await server.ready()
  const statuses = async (path: string) => {
    const answers = await Promise.all([1, 2, 3].map(() => fetch(`${server.url}${path}`)))
    return answers.map(({ status }) => status).sort()
  }
  assert.deepEqual(await statuses('/v1/operator/providers'), [401, 401, 401])

  write('LOG_LEVEL=info\nRATE_LIMIT_PER_ADDRESS=1\nBRAND_NAME=Two\nOPERATOR_ALLOWED_IPS=192.0.2.1\n')
  server.signal('SIGHUP')
  await until('the server has read its settings', () => server.output().includes('restart the process to apply them'))
  assert.match(
    server.output(),
    /"settings":\["RATE_LIMIT_PER_ADDRESS","OPERATOR_ALLOWED_IPS","LOG_LEVEL"\].*applied these/,
  )
  assert.doesNotMatch(server.output(), /"path":/)
  assert.match(server.output(), /"settings":\["BRAND_NAME"\].*restart the process to apply them/)
  assert.deepEqual(await statuses('/v1/operator/providers'), [404, 429, 429])
  await until('the server logs its requests', () => /"path":"\/v1\/operator\/providers"/.test(server.output()))

  write('LOG_LEVEL=loud\nOPERATOR_ALLOWED_IPS=10.0.0.5/8\n')
  server.signal('SIGHUP')
  await until('the server has refused its settings', () => server.output().includes('keeps its settings'))
  assert.match(server.output(), /"problem":"OPERATOR_ALLOWED_IPS holds .*10\.0\.0\.0\/8.*LOG_LEVEL must be one of/)
  server.signal('SIGTERM')
  assert.deepEqual(await endOf(server, 120_000), { code: 0, signal: null })
})

// Tests the files of deploy/container without a container engine. docs/operate/containers.md lists the parts that an engine has
// run.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { PROVIDERS } from '../server/src/adapters/providers/registry.ts'
import { rolesSql } from '../server/src/kernel/db/index.ts'
import { fileSettings, listSettings } from '../server/src/kernel/lib/index.ts'

const FOLDER = fileURLToPath(new URL('../deploy/container/', import.meta.url))
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const compose = read('compose.yaml')

test('the image runs as another user than root, has a health check, and stops by SIGTERM', () => {
  const text = read('Containerfile')
  for (const line of ['USER 10001:10001', 'STOPSIGNAL SIGTERM', 'CMD ["server/src/main.ts"]'])
    assert.ok(text.split('\n').includes(line), line)
  assert.match(text, /^HEALTHCHECK .*CMD \["node", "bin\/health\.mjs"\]$/m)
  assert.equal([...text.matchAll(/^FROM /gm)].length, 2)
})

test('each setting of compose.yaml exists, and each secret comes from a file that make-secrets.sh makes', (t) => {
  const names = [
    ...listSettings(PROVIDERS).map(({ env }) => env),
    ...fileSettings(PROVIDERS).map((name) => `${name}_FILE`),
  ]
  const given = [...compose.matchAll(/^ +([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name)
  assert.ok(given.length >= 10)
  assert.deepEqual(
    given.filter((name) => !names.includes(name) && !name.startsWith('POSTGRES_')),
    [],
  )
  const folder = mkdtempSync(join(tmpdir(), 'malipo-container-'))
  t.after(() => rmSync(folder, { recursive: true }))
  cpSync(join(FOLDER, 'make-secrets.sh'), join(folder, 'make-secrets.sh'))
  execFileSync('sh', [join(folder, 'make-secrets.sh')])
  const made = readdirSync(join(folder, 'secrets'))
    .filter((name) => name !== 'providers')
    .sort()
  assert.deepEqual(readdirSync(join(folder, 'secrets/providers')), [])
  assert.match(readFileSync(join(folder, 'malipo.env'), 'utf8'), /^#.*\n$/)
  const declared = [...compose.matchAll(/^ {2}(\w+): \{ file: \.\/secrets\/(\w+) \}$/gm)]
  assert.deepEqual(declared.map(([, , file]) => file).sort(), made)
  for (const [, name, file] of declared) assert.equal(name, file)
  const used = [...compose.matchAll(/secrets: \[([^\]]+)\]/g)].flatMap(([, list = '']) => list.split(', '))
  const mounted = [...compose.matchAll(/\/run\/secrets\/(?!providers)(\w+)/g)].map(([, name]) => name)
  for (const name of [...used, ...mounted]) assert.ok(made.includes(name ?? ''), name)
  assert.equal(statSync(join(folder, 'secrets')).mode & 0o077, 0)
  const secret = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8').trim()
  assert.equal(Buffer.from(secret('secret_key'), 'base64').length, 32)
  assert.equal(new URL(secret('database_url')).password, secret('server_password'))
  assert.equal(new URL(secret('migration_database_url')).password, secret('owner_password'))
  const again = spawnSync('sh', [join(folder, 'make-secrets.sh')], { encoding: 'utf8' })
  assert.equal(again.status, 1)
  assert.match(again.stderr, /exists already/)
})

test('only the service that migrates gets the role of the owner', () => {
  const services = compose
    .slice(compose.indexOf('\nservices:'), compose.indexOf('\nnetworks:'))
    .split(/\n(?= {2}\w+:\n)/)
  const name = (service: string) => /^ {2}(\w+):/.exec(service)?.[1]
  const migrates = services.filter((service) => service.includes('migration_database_url')).map(name)
  assert.deepEqual(migrates, ['migrate'])
  assert.deepEqual(services.map(name).filter(Boolean), ['database', 'migrate', 'api', 'worker', 'caddy'])
})

test('each process of Malipo gets malipo.env and the secrets of the providers, and no other service does', () => {
  const { services } = parse(compose, { merge: true }) as {
    services: Record<string, { image: string; env_file?: string[]; volumes?: string[]; environment?: object }>
  }
  const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('malipo:'))
  assert.deepEqual(ours.map(([name]) => name).sort(), ['api', 'migrate', 'worker'])
  for (const [name, { env_file, volumes = [], environment = {} }] of Object.entries(services)) {
    const is_ours = ours.some(([one]) => one === name)
    assert.deepEqual(env_file, is_ours ? ['malipo.env'] : undefined, name)
    assert.equal(volumes.includes('./secrets/providers:/run/secrets/providers:ro'), is_ours, name)
    // The settings of this file override those of malipo.env, so the file sets nothing of a provider except its choice.
    assert.deepEqual(
      Object.keys(environment).filter((setting) => /^(?:SELCOM|VODACOM|SMTP|SMS|AFRICASTALKING)_/.test(setting)),
      [],
    )
  }
})

test('the script of the database runs the statements of db roles --print', () => {
  const script = read('make-roles.sh')
  const sql = rolesSql({ owner: 'malipo', runtime: 'malipo_runtime', database: 'malipo' })
  const statements = sql
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(?:alter|revoke|grant) /.test(line))
  assert.ok(statements.length >= 8)
  for (const statement of statements) assert.ok(script.split('\n').includes(statement), statement)
  for (const role of ['malipo', 'malipo_runtime']) assert.match(script, new RegExp(`^create role "${role}" login`, 'm'))
})

test('the health check fails if the server answers an error or does not answer', async (t) => {
  let status = 200
  const server = createServer((_, response) => void response.writeHead(status).end())
  t.after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const check = (PORT: number) => {
    const child = spawn(process.execPath, [join(FOLDER, 'health.mjs')], {
      env: { PORT: String(PORT) },
      stdio: 'ignore',
    })
    return new Promise((resolve) => child.on('close', resolve))
  }
  assert.equal(await check(port), 0)
  status = 503
  assert.equal(await check(port), 1)
  assert.equal(await check(9), 1)
})

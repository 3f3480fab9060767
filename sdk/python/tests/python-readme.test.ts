// Tests the README of the Python SDK as a new user follows it: builds and installs the package, and runs each program of the
// page.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  type LiveWorld,
  leastScopes,
  makePythonHome,
  outputOf,
  startLiveWorld,
  startProgram,
  until,
} from '../../../server/test/programs.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const STATEMENT =
  'WITHDRAWAL 10000.00 balance 40000.00\nCOLLECTION 25000.00 balance 50000.00\nCOLLECTION 25000.00 balance 25000.00\n40000.00\n'

let world: LiveWorld
let folder: string

before(async () => {
  world = await startLiveWorld()
  folder = await mkdtemp(join(tmpdir(), 'malipo-python-'))
})
after(async () => {
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

test('a developer follows the README of the Python SDK twice, from the installation to the webhook, the payout and the statement', async () => {
  const readme = await readFile(join(ROOT, 'sdk/python/README.md'), 'utf8')
  // The network of this test has no package registry, so the test builds the wheel with the tools of the machine.
  const python = await makePythonHome(join(ROOT, 'sdk/python'), folder)
  const programs = [...readme.matchAll(/```python\n# (\S+\.py)\n([^`]*)```/g)]
  assert.deepEqual(
    programs.map(([, name]) => name),
    ['webhook.py', 'register.py', 'pay.py', 'payout.py', 'balance.py'],
  )
  for (const [, name = '', text = ''] of programs) await writeFile(join(folder, name), text)
  const receiver = await startProgram(python, ['webhook.py'], /listens on port \d+/, {
    cwd: folder,
    env: { RECEIVER_PORT: '0' },
  })
  try {
    const [, port] = /listens on port (\d+)/.exec(receiver.printed()) ?? []
    const env = {
      MALIPO_URL: world.base_url,
      MALIPO_API_KEY: await world.newKey({ scopes: leastScopes(readme) }),
      RECEIVER_URL: `http://127.0.0.1:${port}/`,
    }
    const run = (...args: string[]) => outputOf(python, ['-W', 'error', ...args], { cwd: folder, env })
    assert.equal(await run('register.py'), '')
    const first = await run('pay.py')
    assert.match(first, /^[0-9a-f-]{36} is processing\n$/)
    const second = await run('pay.py', 'ORDER-1042-again')
    assert.notEqual(second, first, 'each run is a new attempt')
    assert.equal(await run('pay.py', 'ORDER-1042-again'), second, 'a retry of the same attempt makes no other payment')
    const paid = /^\S+ collection\.success ORDER-1042 25000\.00$/gm
    await until(() => receiver.printed().match(paid)?.length === 2)
    assert.equal(await run('payout.py'), STATEMENT)
    assert.equal(await run('balance.py'), 'sandbox 40000.00\nORDER-1042 25000\nORDER-1042 25000\n')

    // On the second run of all programs, the receiver gets each event once, with the new secret.
    assert.equal(await run('register.py'), '')
    const endpoints = (await world.get('/v1/merchant/webhook-endpoints')).body.data.items
    assert.deepEqual(
      endpoints.map(({ webhook_url }: { webhook_url: string }) => webhook_url),
      [env.RECEIVER_URL],
    )
    assert.match(await run('pay.py'), /^[0-9a-f-]{36} is processing\n$/)
    await until(() => receiver.printed().match(paid)?.length === 3)
    assert.ok((await run('payout.py')).startsWith('WITHDRAWAL 10000.00 balance 55000.00\n'))
    const paid_out = /^\S+ disbursement\.success PAYOUT-7 10000\.00$/gm
    await until(() => receiver.printed().match(paid_out)?.length === 2)
    assert.equal(receiver.printed().match(/^\S+ (?:collection|disbursement)\.\w+ /gm)?.length, 5)

    const forged = await fetch(env.RECEIVER_URL, { method: 'POST', body: '{"event":"collection.success"}' })
    assert.deepEqual([forged.status, (await forged.text()).slice(0, 26)], [401, 'The request has no header '])
  } finally {
    await receiver.stop()
  }
})

test('the receivers of the READMEs use different ports, so that their programs can run beside each other', async () => {
  const portsOf = async (sdk: string) => {
    const readme = await readFile(join(ROOT, `sdk/${sdk}/README.md`), 'utf8')
    const ports = [...readme.matchAll(/127\.0\.0\.1:(\d+)|RECEIVER_PORT", "(\d+)"/g)].map(
      ([, one, other]) => one ?? other,
    )
    return [...new Set(ports)].filter((port) => port !== '8080')
  }
  assert.deepEqual(await Promise.all(['typescript', 'php', 'python'].map(portsOf)), [['9090'], ['8000'], ['8001']])
})

test('the wheel of the Python SDK contains its types and no file of the tests', async () => {
  const wheel = (await readdir(join(folder, 'wheels')))[0] ?? ''
  assert.match(wheel, /^malipo-\d+\.\d+\.\d+-py3-none-any\.whl$/)
  const names = await outputOf('python3', ['-m', 'zipfile', '-l', join(folder, 'wheels', wheel)])
  assert.match(names, /malipo\/py\.typed/)
  assert.match(names, /malipo\/types\.py/)
  assert.doesNotMatch(names, /tests?\//)
})

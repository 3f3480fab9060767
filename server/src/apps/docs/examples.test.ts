// Tests each example of the documentation against a real server: the curl commands and the programs of each SDK.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type LiveWorld, outputOf, requirePhp, startLiveWorld, startProgram, until } from '../../../test/programs.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { inlineRefs } from '../../kernel/http/index.ts'
import { type CallExample, exampleCall, SAMPLES } from './examples.ts'
import { callsOf, type DocCall, type OpenApiDocument } from './openapi.ts'
import { type SnippetLanguage, snippetsOf } from './snippets.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

let world: LiveWorld
let folder: string
let receiver: Receiver
let calls: DocCall[]
before(async () => {
  world = await startLiveWorld({ BASE_URL: '' })
  receiver = await startReceiver()
  folder = await mkdtemp(join(tmpdir(), 'malipo-examples-'))
  calls = callsOf(inlineRefs(JSON.parse((await world.get('/openapi.json')).text)) as unknown as OpenApiDocument)
  // The examples pay out more money than one payment adds to the balance.
  for (let i = 0; i < 4; i += 1) await newPayment({ amount: '900000.00', phone: '0754123001' })
  await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload: { webhook_url: receiver.url } })
})
after(async () => {
  await world.close()
  await receiver.close()
  await rm(folder, { recursive: true, force: true })
})

async function newRecord(path: string, body: object, id: string): Promise<string> {
  const { status, body: answer, text } = await world.post(path, body)
  assert.ok(status < 300, text)
  return answer.data[id]
}

const newPayment = (body: object) => newRecord('/v1/collections/wallet-push', body, 'collection_id')
const newLink = async (id: 'id' | 'public_slug') => newRecord('/v1/payment-links', { amount: '7500.00' }, id)

async function newPayout(): Promise<string> {
  const body = { amount: '1000.00', destination_code: 'MPESA', destination_identifier: '0754123400' }
  return newRecord('/v1/disbursements/mobile-money', body, 'id')
}

async function newInvoice(): Promise<string> {
  const items = [{ description: 'Maize flour', quantity: '1', unit_price: '32000.00' }]
  return newRecord(
    '/v1/invoices',
    { customer_name: 'Juma', customer_phone: '0754123001', due_date: '2030-01-31', items },
    'id',
  )
}

const newEndpoint = () => newRecord('/v1/merchant/webhook-endpoints', { webhook_url: receiver.url }, 'id')

/** Deletes the endpoints of the previous language, because an environment accepts at most ten endpoints. */
async function deleteEndpoints(): Promise<void> {
  const all = await world.get('/v1/merchant/webhook-endpoints')
  for (const { id } of all.body.data.items)
    if (id !== 'default') await world.call({ method: 'DELETE', url: `/v1/merchant/webhook-endpoints/${id}` })
}

async function newDelivery(): Promise<string> {
  await world.post('/v1/merchant/webhook-config/test', {})
  // An earlier example may delete another endpoint, and the server then refuses the replay of its deliveries.
  const path = '/v1/merchant/webhook-deliveries?endpoint_id=default'
  const newest = async () => (await world.get(path)).body.data.items[0]
  await until(async () => (await newest()).status === 'delivered')
  return (await newest()).id
}

async function aTransaction(): Promise<string> {
  for (;;) {
    const { body } = await world.get('/v1/merchants/me/transactions')
    if (body.data.items.length > 0) return body.data.items[0].reference
    await world.pass(1_000)
  }
}

/** Makes the records that an example needs. Returns the text with the ids of these records. */
async function withRecords({ path = {} }: CallExample, text: string): Promise<string> {
  const makes: Record<string, () => Promise<string>> = {
    [SAMPLES.collection_id]: () => newPayment({ amount: '1000.00', phone: '0754123001' }),
    [SAMPLES.link_id]: () => newLink('id'),
    [SAMPLES.public_slug]: () => newLink('public_slug'),
    [SAMPLES.invoice_id]: newInvoice,
    [SAMPLES.disbursement_id]: newPayout,
    [SAMPLES.endpoint_id]: newEndpoint,
    [SAMPLES.delivery_id]: newDelivery,
    [SAMPLES.transaction]: aTransaction,
  }
  const values = new Set(Object.values(path))
  if (values.has(SAMPLES.public_slug) && values.has(SAMPLES.collection_id)) return paidLink(text)
  let made = text
  for (const [sample, make] of Object.entries(makes))
    if (values.has(sample)) made = made.replaceAll(sample, await make())
  return made
}

/** Makes a link and a payment of the link for the example that shows the status of the payment. */
async function paidLink(text: string): Promise<string> {
  const slug = await newLink('public_slug')
  const payment = { method: 'WALLET_PUSH', customer_phone: '0754123001' }
  const collection_id = await newRecord(`/public/payment-links/${slug}/collect`, payment, 'collection_id')
  return text.replaceAll(SAMPLES.public_slug, slug).replaceAll(SAMPLES.collection_id, collection_id)
}

/** Returns the code of each example in one language, with the ids of real records. */
async function examplesIn(language: SnippetLanguage): Promise<Map<string, string>> {
  await deleteEndpoints()
  const found = new Map<string, string>()
  for (const call of calls) {
    const example = exampleCall(call.name)
    const snippet = example && snippetsOf(call, example, world.base_url).find(({ lang }) => lang === language)
    if (!example || !snippet) continue
    const code = await withRecords(example, snippet.code)
    found.set(call.name, code.replace(/https:\/\/(?:shop|books)\.example\/hooks\/malipo/, receiver.url))
  }
  return found
}

/** Writes each example of a language to a file in a new folder. Returns the folder and the names of the files. */
async function writeExamples(
  language: SnippetLanguage,
  ending: string,
  change = (code: string) => code,
): Promise<{ at: string; names: string[] }> {
  const at = join(folder, language)
  await mkdir(at, { recursive: true })
  const examples = await examplesIn(language)
  for (const [name, code] of examples) await writeFile(join(at, `${name}.${ending}`), change(code))
  return { at, names: [...examples.keys()] }
}

const env = () => ({ SANDBOX_KEY: world.sandbox_key })

test('each call that a key or a payer can make has an example, and no example is of another call', () => {
  for (const { name, operation } of calls) {
    const takes_key = (operation.security ?? []).some((one) => 'api_key' in one)
    const is_public = (operation.security ?? []).length === 0
    if (takes_key || is_public) assert.ok(exampleCall(name), `give ${name} an example in examples.ts`)
    else assert.equal(exampleCall(name), null, name)
  }
})

test('each example of curl gets a successful answer from the server', async () => {
  const { at, names } = await writeExamples('bash', 'sh', (code) =>
    code.replace(/^curl /, 'curl --silent --show-error --fail-with-body '),
  )
  assert.ok(names.length > 55)
  // The stream of events has no end, so the test stops the command after two seconds.
  const command = (name: string) =>
    name === 'streamEvents'
      ? `{ sed -i 's/^curl /curl --max-time 2 /' ${name}.sh; bash ${name}.sh > ${name}.out; grep -q retry: ${name}.out; }`
      : `bash ${name}.sh > ${name}.out`
  const script = names.map((name) => `${command(name)} || { echo "${name} failed: $(cat ${name}.out)"; exit 1; }`)
  await outputOf('bash', ['-c', script.join('\n')], { cwd: at, env: env() })
})

/** Replaces Composer's autoload file with the autoload file of the SDK. */
const withAutoload = (code: string) =>
  code.replace("'vendor/autoload.php'", `'${join(ROOT, 'sdk/php/src/autoload.php')}'`)

test('each example of PHP gets a successful answer through the SDK', async () => {
  await requirePhp(['curl'])
  const { at, names } = await writeExamples('php', 'php', withAutoload)
  assert.ok(names.length > 45)
  const run = `foreach (array_slice($argv, 1) as $name) { try { (fn () => require "./$name.php")(); }
    catch (Throwable $failure) { fwrite(STDERR, "$name failed: {$failure->getMessage()}\\n"); exit(1); } }`
  await writeFile(join(at, 'run.php'), `<?php ${run}`)
  await outputOf('php', ['-d', 'display_errors=stderr', '-d', 'error_reporting=-1', 'run.php', ...names], {
    cwd: at,
    env: env(),
  })
})

/** Returns the headers of a signed delivery with this body. */
function signed(body: string, secret: string): Record<string, string> {
  const at = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`msg_1.${at}.${body}`).digest('base64')
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': at,
    'webhook-signature': `v1,${signature}`,
    'content-type': 'application/json',
  }
}

/** Returns the quickstart's program that verifies a webhook, in one language. */
async function receiverProgram(language: string): Promise<string> {
  const text = await readFile(join(ROOT, 'docs/guides/quickstart.md'), 'utf8')
  const program = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].find((match) => match[1] === language)?.[2]
  assert.ok(program, language)
  return program
}

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const EVENT = JSON.stringify({
  event: 'collection.success',
  reference: 'ORDER-1042',
  merchant_code: 'M2JBTVPA',
  amount: '25000.00',
  currency: 'TZS',
  timestamp: '2026-01-05T09:00:02.000Z',
})

test('the receiver of the quickstart in TypeScript accepts a signed delivery and refuses a forged one', async () => {
  const at = await sdkFolder('receiver-ts')
  await writeFile(join(at, 'receiver.ts'), await receiverProgram('ts'))
  const run = `import { receive } from './receiver.ts'
    const { body, headers, secret } = JSON.parse(process.argv[2])
    const send = async (text) => console.log((await receive(new Request('http://x/', { method: 'POST', body: text, headers }), secret)).status)
    await send(body)
    await send(body + ' ')`
  await writeFile(join(at, 'run.js'), run)
  const input = JSON.stringify({ body: EVENT, headers: signed(EVENT, SECRET), secret: SECRET })
  assert.equal(
    await outputOf(process.execPath, ['run.js', input], { cwd: at }),
    'deliver the order ORDER-1042\n200\n401\n',
  )
})

test('the receiver of the quickstart in PHP accepts a signed delivery and refuses a forged one', async () => {
  const at = join(folder, 'receiver-php')
  await mkdir(at)
  await writeFile(join(at, 'index.php'), withAutoload(await receiverProgram('php')))
  const options = { cwd: at, env: { WEBHOOK_SECRET: SECRET } }
  const server = await startProgram(
    'php',
    ['-d', 'log_errors=1', '-S', '127.0.0.1:0', 'index.php'],
    /127\.0\.0\.1:\d+\) started/,
    options,
  )
  try {
    const [, port] = /127\.0\.0\.1:(\d+)\) started/.exec(server.printed()) ?? []
    const send = async (body: string) =>
      (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: signed(EVENT, SECRET) })).status
    assert.deepEqual([await send(EVENT), await send(`${EVENT} `)], [200, 401])
    assert.match(server.printed(), /deliver the order ORDER-1042/)
  } finally {
    await server.stop()
  }
})

/** Makes a folder in which TypeScript programs can import the SDK. */
async function sdkFolder(name: string): Promise<string> {
  const at = join(folder, name)
  await mkdir(join(at, 'node_modules/@malipo'), { recursive: true })
  await symlink(join(ROOT, 'sdk/typescript'), join(at, 'node_modules/@malipo/sdk'))
  await writeFile(join(at, 'package.json'), '{"type": "module"}')
  return at
}

test('each example of TypeScript gets a successful answer through the SDK', async () => {
  await sdkFolder('ts')
  const { at, names } = await writeExamples('ts', 'ts')
  assert.ok(names.length > 45)
  const run = `for (const name of process.argv.slice(2))
    await import(\`./\${name}.ts\`).catch((failure) => { console.error(name, 'failed:', failure); process.exit(1) })`
  await writeFile(join(at, 'run.js'), run)
  await outputOf(process.execPath, ['run.js', ...names], { cwd: at, env: env() })
})

const python = { PYTHONPATH: join(ROOT, 'sdk/python/src'), PYTHONDONTWRITEBYTECODE: '1' }

test('each example of Python gets a successful answer through the SDK', async () => {
  const { at, names } = await writeExamples('python', 'py')
  assert.ok(names.length > 45)
  const run = `import runpy, sys
for name in sys.argv[1:]:
    try:
        runpy.run_path(f"{name}.py")
    except Exception as failure:
        sys.exit(f"{name} failed: {failure}")
`
  await writeFile(join(at, 'run.py'), run)
  await outputOf('python3', ['run.py', ...names], { cwd: at, env: { ...python, ...env() } })
})

test('the receiver of the quickstart in Python accepts a signed delivery and refuses a forged one', async () => {
  const at = join(folder, 'receiver-python')
  await mkdir(at)
  await writeFile(join(at, 'receiver.py'), await receiverProgram('python'))
  const run = `import json, sys
from receiver import receive
body, headers = json.loads(sys.argv[1])
print(receive(body.encode(), headers), receive(body.encode() + b" ", headers))
`
  await writeFile(join(at, 'run.py'), run)
  const options = { cwd: at, env: { ...python, WEBHOOK_SECRET: SECRET } }
  const output = await outputOf('python3', ['run.py', JSON.stringify([EVENT, signed(EVENT, SECRET)])], options)
  assert.equal(output, 'deliver the order ORDER-1042\n200 401\n')
})

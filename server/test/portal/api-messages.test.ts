// Tests that the consoles translate the messages with which the API refuses what people write in the forms.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { translate } from '../../../web/ui/api-messages.ts'
import { AMOUNT_HELP, PHONE_HELP } from '../../src/kernel/lib/index.ts'
import { createWorld } from '../harness.ts'

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))
/** Returns the path of a file without its wing. The rules below name rooms. */
const inWing = (path: string) => path.replace(/^(?:kernel|books|adapters|access|money|apps)\//, '')
/**
 * Files with messages that no console translates, such as the messages of the command line, backups, sign-in, the pay page and
 * the documentation.
 */
const ELSEWHERE =
  /^(admin|providers|identity|pay-page|messages|work|db|backup|request-log|audit)\/|^(admin|main)\.ts$|^lib\/(.*settings?|config|database-url|log|network|secret-file|vault)\.ts$|^http\/(outgoing|health|app(-hooks)?|json|query|openapi-errors)\.ts$|^withdrawals\/after-restore\.ts$|^docs\/meanings\.ts$|^portal\/unknown-page\.ts$|^payment-links\/(collect|schema)\.ts$|^webhooks\/event-(log|stream|schemas)\.ts$|^collections\/(prompt-limits|schema)\.ts$|\.test\.ts$/
/**
 * Messages that no form shows: messages about keys and servers, responses that are no refusals, parts of sentences,
 * descriptions.
 */
const NOT_READ_THERE = [
  /\bAPI keys?\b|\bpk_|Authorization|Idempotency-Key header|simulate_status|HTTP\/1\.1|\bJSON\b|The headers/,
  /^Send the body as|^This path does not accept|session token|quote the X-Request-Id|^The service cannot|^The payment provider/i,
  /^Payment prompt sent|^The payment of this Idempotency-Key|^Simulated in|^What the operator|^Why there is no/,
  /^unknown \{\}$|^has no column "\{\}"$|^must be (\{\}|null) ?(\{\})?$|^must be the next of|^This resource does not exist|The provider paid no money|^There is no payment link/,
  /^\{\}, or the 6 to 20|^\{\} This (address|merchant) is|^kind must be|^currency must be|^at (must|lies)/,
]

const TRANSLATIONS = fileURLToPath(new URL('../../../web/ui/api-messages.ts', import.meta.url))
/** Messages that the server composes of several texts, so that no file contains the whole sentence. */
const COMPOSED: ReadonlySet<string> = new Set([
  'must be at most {}',
  'must be a Tanzanian mobile number such as 0754123456 or 255754123456, or the 6 to 20 digits of an account',
])

const LITERAL = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g
const HOLES = /\$\{(?:[^{}]|\{[^}]*\})*\}/g
/** Finds the texts in code. Each text has {} in place of each value. */
const textsOf = (code: string) =>
  [...code.matchAll(LITERAL)].map((found) =>
    (found[1] ?? found[2] ?? '').replaceAll("\\'", "'").replace(HOLES, '{}').replaceAll(/\s+/g, ' '),
  )

/** Files whose complete sentences no form shows: documentation, and texts for readers outside the forms. */
const DESCRIBES =
  /(schemas?|texts|routes|help|mail|metrics|notify|openapi|poster|reclaim)\.ts$|^invoices\/messages\.ts$|^search\/hit\.ts$|^lib\/metadata\.ts$|^(documents|docs|operators)\/|^http\/(openapi|access|csv)/

/**
 * Finds the messages of a file: messages about a field (they begin with a verb), complete sentences, and every value of
 * `message`.
 */
function messagesOf(file: string, code: string): string[] {
  const found = textsOf(code).filter(
    (text) =>
      /^(?:must|is|has|have|holds|names|differs|belongs|unknown|"\{\}") /.test(text) ||
      (/^ ?[A-Z{].*\.(?:\{\})?$/.test(text) && !DESCRIBES.test(inWing(file))),
  )
  const assignments = code.matchAll(/\bmessage\s*[:=]\s*((?:`[^`]*`|'[^'\n]*'|[^,}`'])*)/g)
  for (const [, expression = ''] of assignments) {
    found.push(...textsOf(expression))
    for (const [name] of expression.matchAll(/\b[A-Z][A-Z_]{2,}\b/g)) {
      const [, value = ''] = new RegExp(`\\bconst ${name}\\b[^=]*=([\\s\\S]*?)\\n\\n`).exec(code) ?? []
      found.push(...textsOf(value))
    }
  }
  return found.filter((text) => /\S \S/.test(text)).map((text) => text.trim())
}

test('each message for a form that this test finds in the sources has a Swahili translation', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !ELSEWHERE.test(inWing(path)),
  )
  const untranslated: string[] = []
  let known = 0
  for (const file of files) {
    // No console shows comments, descriptions for the documentation, help of metrics, or SQL statements.
    const code = readFileSync(SOURCE + file, 'utf8')
      .replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
      .replace(/\b(summary|description|purpose|help|to_do):\s*(?:'[^'\n]*'|`[^`]*`)/g, '')
    for (const message of messagesOf(file, code)) {
      if (NOT_READ_THERE.some((pattern) => pattern.test(message))) continue
      const real = message.replaceAll('{}', '7').replace(/\. ?7$/, '.')
      if (translate(real, 'sw') === null) untranslated.push(`${file}: ${message}`)
      else known += 1
    }
  }
  assert.deepEqual([...new Set(untranslated)], [])
  assert.ok(known > 120, `only ${known} sentences are in the sources`)
})

test('each Swahili translation belongs to a message in the sources', () => {
  const table = /\bconst SWAHILI\b([\s\S]*?)\n}\n/.exec(readFileSync(TRANSLATIONS, 'utf8'))?.[1] ?? ''
  const keys = [...table.matchAll(/^ {2}'((?:[^'\\\n]|\\.)*)':/gm)].map(([, key = '']) => key.replaceAll("\\'", "'"))
  assert.ok(keys.length > 200, `only ${keys.length} keys`)
  const texts = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((file) => textsOf(readFileSync(SOURCE + file, 'utf8').replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')))
    .join('\n')
  const unused = keys.filter((key) => !COMPOSED.has(key) && !texts.includes(key))
  assert.deepEqual(unused, [], 'remove these keys from web/ui/api-messages.ts')
})

test('a translation contains the same values as its message', () => {
  assert.equal(translate(PHONE_HELP, 'sw'), 'Andika namba ya simu kama 0754 123 456.')
  assert.equal(translate(`${AMOUNT_HELP.not_positive}`, 'en'), 'This must be greater than zero.')
  assert.equal(translate('must have at most 200 characters', 'sw'), 'Andika herufi zisizozidi 200.')
  assert.equal(translate('must have at least 2 characters', 'sw'), 'Andika herufi 2 au zaidi.')
  assert.equal(
    translate('This address is on the list already, with status REJECTED. Remove the entry first to ask again.', 'sw'),
    'Anwani hii iko kwenye orodha tayari (hali: REJECTED). Iondoe kwanza ili uombe tena.',
  )
  assert.equal(
    translate('The amount must be from 1.00 to 1000000000.00 shillings.', 'sw'),
    'Kiasi kiwe kutoka shilingi 1.00 hadi 1,000,000,000.',
  )
  assert.equal(
    translate('The server did not import the statement: line 3 is longer than 64 characters. See details.lines.', 'sw'),
    'Taarifa haikupokelewa. Mstari wa 3: unazidi herufi 64.',
  )
  assert.equal(
    translate('The state of the record does not allow this request. Read the record again.', 'sw'),
    '',
    'the error code has its own translation',
  )
  assert.equal(
    translate('This resource does not exist. Check the path and the id.', 'en'),
    '',
    'the error of a missing record has its own text',
  )
  assert.equal(translate('This sentence was made yesterday.', 'sw'), null, 'the console shows the text of the API')
})

test('each message about a wrong field in the refusals of this test has a Swahili translation', async () => {
  const world = await createWorld()
  const { token } = await world.newSession('MERCHANT_ADMIN')
  const wrong: [path: string, body: object][] = [
    ['/v1/payment-links', { amount: '-1', customer_phone: '12', expires_at: 'x', description: 'x'.repeat(5_000) }],
    ['/v1/invoices', { customer_name: ' ', due_date: '1999-01-01', items: [{ description: '', quantity: '0' }] }],
    ['/v1/merchant/withdrawals', { method: 'CARRIER_PIGEON', amount: 'x', destination_name: '\u0000' }],
    ['/v1/merchant/members', { email: 'x', role: 'KING' }],
    ['/v1/merchant/ip-addresses', { label: '', address: '127.0.0.1' }],
    ['/v1/merchant/ip-addresses', { label: 'x', address: '10.0.0.0/4' }],
    ['/v1/merchant/api-keys', { name: '', environment: 'x', scopes: ['x'] }],
  ]
  try {
    for (const [path, body] of wrong) {
      const reply = await world.post(`${path}?environment=sandbox`, body, { key: token })
      assert.equal(reply.status, 400, reply.text)
      for (const { field, message } of reply.body.error.details.fields) {
        assert.ok(translate(message, 'sw'), `${path} ${field}: ${message}`)
      }
    }
  } finally {
    await world.close()
  }
})

// Tests the options, refusals and help texts of the admin command.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseArgs } from 'node:util'
import { PROVIDERS } from '../../adapters/providers/registry.ts'
import { readConfig } from '../../kernel/lib/index.ts'
import { COMMANDS, prepareCommand } from './commands.ts'
import { commandsOf, helpOf, PAGES } from './help.ts'
import { OPTIONS, UsageError } from './options.ts'
import { findStandalone, STANDALONE } from './standalone.ts'

const ID = '00000000-0000-8000-8000-000000000000'
const OWN_DATABASE = { DATABASE_URL: 'postgres://pay:secret@db/pay' }
const BACKUPS = { BACKUP_KEY: Buffer.alloc(32, 1).toString('base64') }
const USER = 'user create --email a@b.tz'

function prepare(line: string, env: Record<string, string> = {}) {
  const args = line.split(' ').map((word) => word.replaceAll('+', ' '))
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  return prepareCommand(positionals, values, readConfig(env, PROVIDERS))
}

const INVALID_LINES: [string, string, Record<string, string>?][] = [
  ['backup', '--to is required', BACKUPS],
  ['restore --data-dir new', '--from is required', BACKUPS],
  ['restore --from place', '--data-dir is required', BACKUPS],
  ['restore finish', '--to-time is required', OWN_DATABASE],
  ['backup --to place --keep 0', '--keep must be a whole number from 1', BACKUPS],
  [
    'restore --from place --data-dir new --to-time yesterday',
    '--to-time must be a time with its zone, such as',
    BACKUPS,
  ],
  [
    'restore --from place --data-dir new --to-time 2026-01-05T09:30:00',
    '--to-time must be a time with its zone',
    BACKUPS,
  ],
  ['backup --to place --to-time 2026-01-05T09:30:00Z', 'the command "backup" has no option --to-time', BACKUPS],
  ['user create --role SUPER_ADMIN', '--email is required'],
  ['user create --email= --role SUPER_ADMIN', '--email is required'],
  ['user create --email asha --role SUPER_ADMIN', '--email must be an e-mail address'],
  ['user create --email a@b@c --role SUPER_ADMIN', '--email must be an e-mail address'],
  ['user create --email a\u200b@b.example --role SUPER_ADMIN', '--email must be an e-mail address'],
  [USER, '--role is required'],
  [
    `${USER} --role BOSS`,
    '--role must be one of MERCHANT_ADMIN, DEVELOPER, FINANCE, VIEWER, SUPPORT, FINANCE_OPERATOR, COMPLIANCE, SUPER_ADMIN',
  ],
  [`${USER} --role super_admin`, '--role must be one of MERCHANT_ADMIN, DEVELOPER, FINANCE, VIEWER, SUPPORT,'],
  [`${USER} --role MERCHANT_ADMIN`, '--merchant is required'],
  [`${USER} --role VIEWER --merchant '+or+1=1`, '--merchant must be the id of a merchant'],
  [`${USER} --role SUPER_ADMIN --merchant ${ID}`, '--merchant is not allowed with --role SUPER_ADMIN'],
  [`${USER} --role COMPLIANCE --merchant ${ID}`, '--merchant is not allowed with --role COMPLIANCE'],
  [`${USER} --role SUPER_ADMIN --language fr`, '--language must be one of sw, en'],
  [`${USER} --role SUPER_ADMIN --name a\nb`, '--name must be one line'],
  [`${USER} --role SUPER_ADMIN --name ++`, '--name must be one line'],
  [`${USER} --role SUPER_ADMIN --name ${'x'.repeat(101)}`, '--name must be one line of 1 to 100 characters'],
  [`${USER} --role SUPER_ADMIN --subject s`, '--subject requires a foreign OIDC_ISSUER'],
  [`${USER} --role SUPER_ADMIN --scopes a`, 'the command "user create" has no option --scopes'],
  ['user disable', '--email is required'],
  ['user revoke-operator --email asha', '--email must be an e-mail address'],
  ['user drop-second-step --email a@b.tz --role VIEWER', 'the command "user drop-second-step" has no option --role'],
  ['token', '--email is required'],
  ['token --email a@b.tz --role VIEWER', 'the command "token" has no option --role'],
  ['db roles', '--print is required'],
  ['db roles --print --name a', 'the command "db roles" has no option --name'],
  ['explain', '"" is no id'],
  ['explain 1234', '"1234" is no id'],
  ['explain TXN-1', '"TXN-1" is no id'],
  [`explain ${ID} ${ID}`, 'the command "explain'],
  ['demo --approve', 'the command "demo" has no option --approve'],
  ['user', 'the command "user" does not exist'],
  ['statement import', '--provider is required'],
  ['statement import --provider unknown', '--provider must be one of mock, selcom, vodacom'],
  ['statement import --provider mock', '--file is required'],
  ['statement import --provider mock --file x --from monday', '--from must be a time'],
  ['statement import --provider mock --file x --from 2026-01-05', '--to is required'],
  [
    'statement import --provider mock --file x --from 2026-01-05 --to 2026-01-06 --columns wage=x',
    '--columns must be pairs',
  ],
  ['erase payer', '--phone is required'],
  ['erase payer --phone 12345', '--phone must be a Tanzanian mobile number'],
  ['erase payer --email a@b.tz', 'the command "erase payer" has no option --email'],
  ['constructor', 'the command "constructor" does not exist'],
  ['migrate --plan --apply', '--plan and --apply exclude each other'],
  ['shard', 'the command "shard" does not exist'],
  ['shard plan --apply', 'the command "shard plan" has no option --apply'],
  ['secrets abandon', '--key is required'],
  ['audit check', '--file is required'],
  ['audit check --file x.jsonl --key 0a1b2c3d', '--key must be a public key'],
  [`secrets abandon --key ${ID}`, '--key must be the id of a secret key'],
  ['secrets rotate --key 0a1b2c3d', 'the command "secrets rotate" has no option --key'],
  ['merchant create', '--name is required'],
  ['merchant create --name \u202e\u2066', '--name must be one line of 1 to 100 characters, and one must be visible'],
  ['merchant create --name Duka --email x', '--email must be an e-mail address'],
  [`key revoke --merchant ${ID} --key 7`, '--key must be the id of a key'],
  [`key create --merchant ${ID} --environment live --scopes all`, '--scopes must be a list of these scopes'],
  [`key create --merchant ${ID} --environment live --scopes toString`, '--scopes must be a list of these scopes'],
  [`key create --merchant ${ID} --environment x --scopes a`, '--environment must be one of live, sandbox'],
]
for (const [line, message, env] of INVALID_LINES) {
  test(`the command line "${line.slice(0, 70).replace('\n', ' ')}" fails with the message "${message}"`, () => {
    assert.throws(
      () => prepare(line, env),
      (error: Error) => error instanceof UsageError && error.message.startsWith(message),
    )
  })
}

test('if the issuer is foreign, the admin command issues no token and accepts a subject', () => {
  const env = { OIDC_ISSUER: 'https://id.example.tz' }
  assert.throws(() => prepare('token --email a@b.tz', env), /OIDC_ISSUER/)
  assert.equal(typeof prepare(`${USER} --role SUPER_ADMIN --subject abc|7`, env).run, 'function')
})

test('the admin command accepts valid options', () => {
  const valid = [
    'demo',
    'verify',
    'migrate --json',
    'migrate --plan --json',
    'migrate --apply',
    'merchant create --name Duka+la+Asha --email Duka@b.tz --approve',
    `key create --merchant ${ID.toUpperCase()} --environment live --scopes collections:read,+invoices:read`,
    `key revoke --merchant ${ID} --key ${ID}`,
    `${USER} --role VIEWER --merchant ${ID} --name Asha+Mushi --language en`,
    'user disable --email a@b.tz',
    'user enable --email a@b.tz',
    'user revoke-operator --email a@b.tz',
    'user drop-second-step --email a@b.tz --json',
    'token --email a@b.tz --json',
    `emails --email a@b.tz --merchant ${ID}`,
    `explain ${ID}`,
    'shard plan --json',
    'secrets status',
    'secrets rotate --json',
    'secrets abandon --key 0a1b2c3d',
    'secrets abandon --key unknown',
    'audit anchors',
    'audit check --file x.jsonl',
    'audit export --file x.jsonl',
    'erase payer --phone 0754+123+456',
    'statement import --provider mock --file x.csv --from 2026-01-05 --to 2026-01-06T00:00:00Z --columns at=When',
  ]
  for (const line of valid) assert.equal(typeof prepare(line).run, 'function', line)
  const backups = [
    'backup --to place --keep 14',
    'backup check --from place',
    'restore --from place --data-dir new --to-time 2026-01-05T09:30:00.5Z',
  ]
  for (const line of backups) assert.equal(typeof prepare(line, BACKUPS).run, 'function', line)
  assert.equal(typeof prepare('restore finish --to-time 2026-01-05T09:30:00Z', OWN_DATABASE).run, 'function')
  const printed = prepare('db roles --print --json', { DATABASE_URL: 'postgres://pay:secret@db/pay' }).run
  assert.match(String(printed), /alter database "pay" owner to "pay";\n.*\n.*to "malipo_runtime";/)
  const named = [...valid, ...backups, 'restore finish', 'db roles'].map((line) =>
    line.split(' ').slice(0, 2).join(' '),
  )
  for (const name of Object.keys(COMMANDS))
    assert.ok(named.some((line) => line.startsWith(name)) || name === 'user create')
})

test('the help of each admin command names every option and gives a valid example', () => {
  const all = { ...COMMANDS, ...STANDALONE }
  assert.deepEqual(Object.keys(PAGES).sort(), Object.keys(all).sort())
  for (const [name, { takes }] of Object.entries(all)) {
    const page = helpOf(name.split(' ')) as string
    assert.ok(page.startsWith(`Usage: npm run -s admin -- ${name}`), name)
    assert.ok((helpOf([]) as string).includes(`\n  ${name}`), name)
    const [, options = '', example = ''] = page.split(/\n\n(?= {2}--)|\nExample\n/)
    const named = [...options.matchAll(/^ {2}--([a-z-]+)/gm)].map((match) => match[1])
    assert.deepEqual(named.sort(), [...takes, 'json'].sort(), name)
    const [, written = ''] = (example.split('\n')[0] ?? '').split(' -- ')
    const words = [...written.matchAll(/"([^"]*)"|(\S+)/g)]
    const args = words.map((match) => match[1] ?? (match[2] as string))
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    const env = values.provider === 'selcom' ? SELCOM : name === 'restore finish' ? OWN_DATABASE : BACKUPS
    if (findStandalone(positionals.join(' '), values) !== null) continue
    assert.doesNotThrow(() => prepareCommand(positionals, values, readConfig(env, PROVIDERS)), name)
  }
})

test('the help of a command group describes each command of the group', () => {
  assert.deepEqual(commandsOf('statement'), ['statement import'])
  assert.match(helpOf(['statement']) ?? '', /--columns[\s\S]*Example[\s\S]*statement import --provider/)
  assert.equal((helpOf(['user'])?.match(/^Usage/gm) ?? []).length, 5)
  assert.deepEqual([helpOf(['nothing']), helpOf(['toString']), commandsOf('stat')], [null, null, []])
})

const SELCOM = {
  PROVIDER: 'selcom',
  SELCOM_URL: 'https://gateway.example/v1',
  SELCOM_API_KEY: 'key',
  SELCOM_API_SECRET: 'secret',
  SELCOM_VENDOR: 'TILL',
  SELCOM_BUYER_EMAIL: 'payments@example.tz',
  SELCOM_BUYER_PHONE: '0754123456',
}

// Contains the help texts of the admin command, for the list of commands and for the page of each command.

import { PROVIDER_NAMES } from '../../adapters/providers/registry.ts'
import { MERCHANT_ROLES, OPERATOR_ROLES, SCOPES } from '../../kernel/http/index.ts'
import { adminCommand, orList } from '../../kernel/lib/index.ts'

type HelpPage = {
  /** The options, as the usage line shows them. */
  takes?: string
  /** The lines of the description, for the list of commands and for the page of the command. */
  does: readonly string[]
  /** The meaning of each option, by the option with its dashes. */
  options?: Readonly<Record<string, string>>
  /** The options in the example. If the field is missing, the example has no options. */
  example?: string
  /** Further lines of the help text. */
  more?: readonly string[]
}

const ROLES = `Roles: ${MERCHANT_ROLES.join(', ')}; of operators: ${OPERATOR_ROLES.join(', ')}`
const SCOPE_LIST = `Scopes: ${Object.keys(SCOPES).join(', ')}`
const SAMPLE_ID = '019a3c52-0c00-8000-8000-0123456789ab'
const EMAIL = { '--email E': 'E-mail address of the user' }
const onEmail = (...does: string[]): HelpPage => ({
  takes: '--email E',
  does,
  options: EMAIL,
  example: '--email asha@example.com',
})

/** The help page of each command, by the name of the command. */
export const PAGES: Readonly<Record<string, HelpPage>> = {
  demo: {
    takes: '[--history | --remove-history]',
    does: [
      'Creates the demo merchant with new keys, and demo users with passwords (not in production).',
      'The newest 10 keys of each environment stay valid',
    ],
    options: {
      '--history':
        'Instead, makes a second demo merchant with 30 days of sandbox payments, payouts, links and invoices',
      '--remove-history':
        'Instead, ends the open work of that merchant and archives it: it takes no payment, and lists and counts of all merchants leave it out. Its records stay: the books are append-only',
    },
  },
  'merchant create': {
    takes: '--name N [--email E] [--approve]',
    does: ['Creates a merchant. --approve makes it active and verified, with fees'],
    options: {
      '--name N': 'Name of the merchant',
      '--email E': 'E-mail address of the merchant',
      '--approve': 'The merchant can go live immediately, at the default fees',
    },
    example: '--name "Duka la Asha" --email asha@example.com --approve',
  },
  'key create': {
    takes: '--merchant ID --environment live|sandbox --scopes a,b [--name N]',
    does: ['Creates an API key and shows it once'],
    options: {
      '--merchant ID': 'Merchant of the key',
      '--environment E': 'live or sandbox',
      '--scopes a,b': 'Scopes of the key, separated by commas',
      '--name N': 'Display name of the key',
    },
    example: `--merchant ${SAMPLE_ID} --environment sandbox --scopes collections:write,collections:read`,
    more: [SCOPE_LIST],
  },
  'key revoke': {
    takes: '--merchant ID --key ID',
    does: ['Revokes a key immediately'],
    options: { '--merchant ID': 'Merchant of the key', '--key ID': 'Id of the key, not the key itself' },
    example: `--merchant ${SAMPLE_ID} --key ${SAMPLE_ID}`,
  },
  'user create': {
    takes: '--email E --role R [--merchant ID] [--name N] [--language sw|en] [--subject S]',
    does: [
      'Gives a user a role, and creates a missing user. Shows the password once.',
      'An operator has one role and no merchant. A new role of operators replaces the earlier role, and ends all sessions of the user',
    ],
    options: {
      ...EMAIL,
      '--role R': 'Role of the user',
      '--merchant ID': 'Merchant of the role. A role of operators has no merchant; every other role needs a merchant',
      '--name N': 'Name of the user',
      '--language L': 'Language of e-mails and pages: sw (default) or en',
      '--subject S': 'Subject of the user at a foreign OIDC_ISSUER',
    },
    example: '--email you@example.com --role SUPER_ADMIN',
    more: [ROLES],
  },
  'user disable': onEmail('Disables a user from the next request on. Ends all sessions of the user'),
  'user enable': onEmail('Lets a disabled user sign in again'),
  'user revoke-operator': onEmail('Removes the operator role of a user. Ends all sessions of the user'),
  'user drop-second-step': onEmail(
    'Deletes the authenticator app and the passkeys of a user. Ends all sessions of the user',
  ),
  emails: {
    takes: '[--email E] [--merchant ID]',
    does: ['Shows the newest e-mails of the outbox, for an installation without a mail server'],
    options: { '--email E': 'Only e-mails to this address', '--merchant ID': 'Only e-mails of this merchant' },
    example: '--email asha@example.com',
  },
  token: onEmail('Issues an access token for a user of the built-in identity provider'),
  'statement import': {
    takes: '--provider P --file F --from T --to T [--columns reference=NAME,at=NAME]',
    does: [
      'Imports a statement of a provider (CSV). Each difference from the books becomes a case.',
      'A time is 2026-01-05T00:00:00Z, or a day in Tanzania. --to is exclusive',
    ],
    options: {
      '--provider P': `Provider of the statement: ${orList(PROVIDER_NAMES)}`,
      '--file F': 'CSV with a header row: reference, provider_id, kind, amount, currency, at',
      '--from T': 'Start of the period that the file covers completely',
      '--to T': 'End of the period, exclusive. It must be in the past',
      '--columns MAP': 'Column names of the file, as pairs: reference=OrderId,at=Date',
    },
    example: '--provider selcom --file statement.csv --from 2026-01-05 --to 2026-01-06',
    more: ['kind is payment, payout, reversal or charge. A time without a zone is in Tanzanian time.'],
  },
  'secrets status': {
    does: ['Counts the encrypted values of each key of SECRET_KEY. Exit code 1 if values need a key that is missing'],
  },
  'secrets rotate': {
    does: [
      'Encrypts every value again with the first key of SECRET_KEY, while the server runs. Names the keys that you',
      'can remove. Safe to stop and repeat. Exit code 1 if values still need another key',
    ],
  },
  'secrets abandon': {
    takes: '--key ID',
    does: [
      'Gives up the values of a lost key, so that the server starts with a new key. The command is final:',
      'first search your backups for the key',
    ],
    options: { '--key ID': 'Id of the lost key, which "secrets status" prints' },
    example: '--key 0a1b2c3d',
  },
  'audit anchors': {
    does: [
      'Shows the public key of the anchors of the audit log, and the anchors that the worker has written and sent.',
      'Exit code 1 if the last attempt to write or send failed',
    ],
  },
  'audit check': {
    takes: '--file F [--key K]',
    does: ['Checks a copy of the file of anchors, and the audit log against it. Exit code 1 if they differ'],
    options: {
      '--file F': 'Copy of the file of AUDIT_ANCHOR_FILE. It may lack the newest anchors',
      '--key K': 'Public key, which "audit anchors" prints: check the file alone, without a database',
    },
    example: '--file /backup/audit-anchors.jsonl',
    more: [
      'docs/operate/audit-anchors.md describes the file. After a loss of SECRET_KEY, give both keys, with a comma.',
    ],
  },
  'audit export': {
    takes: '--file F',
    does: [
      'Writes the anchors of the database to a new file, if the file of AUDIT_ANCHOR_FILE and its copies are lost',
    ],
    options: { '--file F': 'The new file. The command changes no existing file' },
    example: '--file /var/lib/malipo/audit-anchors.jsonl',
    more: ['A file that the database wrote proves nothing about the time before. Write down why the old file is lost.'],
  },
  'erase payer': {
    takes: '--phone P',
    does: [
      "Replaces a person's phone number and removes the name, but not in the audit log. Amounts and statuses stay.",
      'Refuses while a payment or withdrawal of the person is open',
    ],
    options: { '--phone P': 'Phone number of the payer or recipient, such as 0754123456' },
    example: '--phone 0754123456',
    more: ['docs/operate/privacy.md describes what the command changes. The change is final.'],
  },
  'config check': {
    does: [
      'Prints every setting with its value and source, and every problem, without a database. Secrets are masked.',
      'Exit code 1 if there is a problem. Run the command with the environment and the user of the server',
    ],
  },
  doctor: {
    takes: '[--send-test-to E]',
    does: [
      'Checks versions, settings, database, roles, clock, replication, connections, books, disk,',
      'backups, port, public address, certificate, providers, mail and SMS. Each line states what to do.',
      'Runs with and without the server and its database. Exit code 1 if a check fails',
    ],
    options: { '--send-test-to E': 'E-mail address or phone number that gets one test message' },
    example: '--send-test-to you@example.com',
  },
  explain: {
    takes: 'ID',
    does: [
      'Explains the state of a payment, payout or webhook delivery: the next actor, the start of the wait, and',
      'the time of the next step. ID is the id of the record, a reference at the provider, or a transaction (TXN-)',
    ],
    example: SAMPLE_ID,
  },
  backup: {
    takes: '--to PLACE [--keep N]',
    does: [
      'Makes an encrypted backup of the embedded database in a folder, while the server runs. With BACKUP_DIR, a restore',
      'can go back to any second after the backup. Writes BACKUP_STATUS_FILE. The backup does not contain SECRET_KEY',
    ],
    options: {
      '--to PLACE': 'Existing folder of the backups, on another disk. BACKUP_KEY encrypts them',
      '--keep N': 'After the new backup, delete all but the newest N backups, and the log that these do not need',
    },
    example: '--to /backup/malipo --keep 14',
    more: ['docs/operate/backup.md describes backups, and the backup of a PostgreSQL of your own.'],
  },
  'backup check': {
    takes: '--from PLACE [--scratch FOLDER]',
    does: [
      'Restores the newest backup into a scratch folder, runs the checks of "verify", and removes the folder. The',
      'running system does not change. Needs BACKUP_KEY, and the SECRET_KEY of the database. Exit code 1 if a check fails',
    ],
    options: {
      '--from PLACE': 'Folder of the backups',
      '--scratch FOLDER': 'New folder with space for a second database. Missing: BACKUP_CHECK_DIR',
    },
    example: '--from /backup/malipo',
    more: ['If BACKUP_DIR is set, a worker runs this check each day: see docs/operate/backup.md.'],
  },
  restore: {
    takes: '--from PLACE --data-dir NEW [--to-time T]',
    does: [
      'Restores a backup into an empty DATA_DIR, pauses all payouts, and runs the checks of "verify". The server can',
      'open the new DATA_DIR only if all checks hold. Needs BACKUP_KEY, and the SECRET_KEY of the database',
    ],
    options: {
      '--from PLACE': 'Folder of the backups',
      '--data-dir NEW': 'The new DATA_DIR: empty, or with secret.key only',
      '--to-time T': 'Time up to which changes are restored. Missing: all archived changes',
    },
    example: '--from /backup/malipo --data-dir /var/lib/malipo-new --to-time 2026-01-05T09:30:00Z',
    more: ['docs/operate/backup.md describes what to do after a restore, so that the server pays nothing twice.'],
  },
  'restore finish': {
    takes: '--to-time T',
    does: [
      'Makes a PostgreSQL of your own safe to start after its own tools have restored it. Pauses all payouts, brings',
      'unconfirmed payouts into doubt, and runs the checks of "verify". Stop all processes of the server before. Exit code 1 if a check fails',
    ],
    options: { '--to-time T': 'Time to which you restored the database' },
    example: '--to-time 2026-01-05T09:30:00Z',
    more: ['docs/operate/backup.md describes the whole restore.'],
  },
  'db roles': {
    takes: '--print',
    does: [
      'Prints the SQL statements that make two database roles: the owner, which migrates, and the role of the server.',
      'The names come from DATABASE_URL and MIGRATION_DATABASE_URL',
    ],
    options: { '--print': 'Print the statements. The command never changes a database' },
    example: '--print',
  },
  'shard plan': {
    does: [
      'Prints where each table would be on several machines, with rows and size. Prints the largest merchants, the number of',
      'machines and shards, and what prevents the plan. Changes nothing. Exit code 1 if the schema prevents the plan',
    ],
    more: ['docs/design/scale.md describes the two ways past one machine. Rows are the estimates of PostgreSQL.'],
  },
  migrate: {
    takes: '[--plan|--apply]',
    does: [
      'Applies the pending migrations to the database. Without an option, the command makes one attempt, as a start of the server does.',
      'Safe to repeat, and to run on several machines at the same time',
    ],
    options: {
      '--plan': 'Change nothing: print what each pending migration locks, and if the previous version can run on',
      '--apply': 'Wait for a lock at most 0.1 seconds, repeat for up to 10 minutes, and print which transactions block',
    },
    example: '--plan',
    more: ['docs/operate/upgrade.md describes an upgrade without downtime.'],
  },
  verify: { does: ['Checks every invariant of the books and states. Exit code 1 if a check fails'] },
}

const DESCRIPTION_COLUMN = 40
const OPTION_WIDTH = 18

/**
 * Returns the help for one command, for a group of commands, or for all commands. If no such command exists, returns null.
 */
export function helpOf(words: readonly string[]): string | null {
  const name = words.join(' ')
  if (name === '') return listOfCommands()
  if (Object.hasOwn(PAGES, name)) return helpPage(name, PAGES[name] as HelpPage)
  const names = commandsOf(name)
  return names.length === 0 ? null : names.map((one) => helpPage(one, PAGES[one] as HelpPage)).join('\n')
}

/** Returns the commands of a group, such as `user`. */
export function commandsOf(group: string): string[] {
  return Object.keys(PAGES).filter((name) => name.startsWith(`${group} `))
}

function listOfCommands(): string {
  return `Usage: ${adminCommand('COMMAND')} [options] [--json]

Commands
${Object.entries(PAGES)
  .map(([name, page]) => listEntry(name, page))
  .join('\n')}

Options
  --json     Print one JSON object on standard output and nothing else
  --help     This text, or the help of the command before it

${ROLES}
${SCOPE_LIST}
The command uses the database of DATABASE_URL, or the embedded database in DATA_DIR.
`
}

function listEntry(name: string, { takes, does }: HelpPage): string {
  const head = `  ${name}${takes === undefined ? '' : ` ${takes}`}`
  const indent = ' '.repeat(DESCRIPTION_COLUMN)
  const [first, ...rest] = does
  const start = head.length < DESCRIPTION_COLUMN - 1 ? head.padEnd(DESCRIPTION_COLUMN) : `${head}\n${indent}`
  return [`${start}${first}`, ...rest.map((line) => `${indent}${line}`)].join('\n')
}

function helpPage(name: string, { takes, does, options = {}, example, more = [] }: HelpPage): string {
  const lines = Object.entries({ ...options, '--json': 'Print one JSON object on standard output and nothing else' })
  return `Usage: ${adminCommand(name)}${takes === undefined ? '' : ` ${takes}`}

${does.join('\n')}

${lines.map(([option, meaning]) => `  ${option.padEnd(OPTION_WIDTH)}${meaning}`).join('\n')}

Example
  ${adminCommand(name)}${example === undefined ? '' : ` ${example}`}
${more.map((line) => `\n${line}\n`).join('')}`
}

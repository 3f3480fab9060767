// The help texts of the admin command: one table, for the list and for each command.

import { MERCHANT_ROLES, SCOPES } from '../../kernel/http/index.ts'

type HelpPage = {
  /** The options after the name. */
  takes?: string
  /** The description, for the list and for the page of the command. */
  does: readonly string[]
  /** The options with their meaning. */
  options?: Readonly<Record<string, string>>
  /** The options of the example. Default: none. */
  example?: string
  /** Further lines. */
  more?: readonly string[]
}

const ROLES = `Roles: ${MERCHANT_ROLES.join(', ')}, SUPER_ADMIN`
const SCOPE_LIST = `Scopes: ${Object.keys(SCOPES).join(', ')}`
const SAMPLE_ID = '019a3c52-0c00-8000-8000-0123456789ab'
const EMAIL = { '--email E': 'Their e-mail address' }
const onEmail = (...does: string[]): HelpPage => ({
  takes: '--email E',
  does,
  options: EMAIL,
  example: '--email asha@example.com',
})

/** The page of each command. */
export const PAGES: Readonly<Record<string, HelpPage>> = {
  demo: { does: ['The demo merchant with fresh keys, and its people with their passwords (not in production)'] },
  'merchant create': {
    takes: '--name N [--email E] [--approve]',
    does: ['A new merchant; --approve makes it active, verified and priced'],
    options: {
      '--name N': 'Its name',
      '--email E': 'Its e-mail address',
      '--approve': 'It can go live at once, at the prices of a new merchant',
    },
    example: '--name "Duka la Asha" --email asha@example.com --approve',
  },
  'key create': {
    takes: '--merchant ID --environment live|sandbox --scopes a,b [--name N]',
    does: ['A new API key. It is shown once'],
    options: {
      '--merchant ID': 'Whose it is',
      '--environment E': 'live or sandbox',
      '--scopes a,b': 'What it may do, separated by commas',
      '--name N': 'What people call it',
    },
    example: `--merchant ${SAMPLE_ID} --environment sandbox --scopes collections:write,collections:read`,
    more: [SCOPE_LIST],
  },
  'key revoke': {
    takes: '--merchant ID --key ID',
    does: ['Stops a key at once'],
    options: { '--merchant ID': 'Whose it is', '--key ID': 'Its id, not the key itself' },
    example: `--merchant ${SAMPLE_ID} --key ${SAMPLE_ID}`,
  },
  'user create': {
    takes: '--email E --role R [--merchant ID] [--name N] [--language sw|en] [--subject S]',
    does: [
      'A person with a role. The password is shown once. SUPER_ADMIN is an operator and',
      'has no merchant. --subject: who it is at a foreign OIDC_ISSUER',
    ],
    options: {
      ...EMAIL,
      '--role R': 'What they may do',
      '--merchant ID': 'Where they may do it. SUPER_ADMIN has none, every other role needs one',
      '--name N': 'Their name',
      '--language L': 'sw (the default) or en: of mails and pages',
      '--subject S': 'Who they are at a foreign OIDC_ISSUER',
    },
    example: '--email you@example.com --role SUPER_ADMIN',
    more: [ROLES],
  },
  'user disable': onEmail('Keeps a person out, from the next request on. Ends their sessions'),
  'user enable': onEmail('Lets a disabled person sign in again'),
  'user revoke-operator': onEmail('Takes SUPER_ADMIN away. Ends their sessions'),
  'user drop-second-step': onEmail('Takes a lost second step away. Ends their sessions'),
  emails: {
    takes: '[--email E] [--merchant ID]',
    does: ['The newest e-mails of the outbox, to hand on by other means'],
    options: { '--email E': 'To this address only', '--merchant ID': 'Of this merchant only' },
    example: '--email asha@example.com',
  },
  token: onEmail('An access token for a person of the built-in identity provider'),
  'statement import': {
    takes: '--provider P --file F --from T --to T [--columns reference=NAME,at=NAME]',
    does: [
      'A statement of a provider (CSV): what differs from the books becomes a case.',
      'Times as 2026-01-05T00:00:00Z, or a day of Tanzania; --to is not included',
    ],
    options: {
      '--provider P': 'Whose it is: mock, selcom or vodacom',
      '--file F': 'CSV with a header row: reference, provider_id, kind, amount, currency, at',
      '--from T': 'Where the period begins that the file covers whole',
      '--to T': 'Where it ends: the first moment that is not in it, and over by now',
      '--columns MAP': "The file's own names of those columns, as pairs: reference=OrderId,at=Date",
    },
    example: '--provider selcom --file statement.csv --from 2026-01-05 --to 2026-01-06',
    more: ['kind is payment, payout, reversal or charge. A time without a zone is Tanzanian.'],
  },
  migrate: { does: ['Brings the database up to date'] },
  verify: { does: ['Checks every invariant of the books and states; exit 1 when one fails'] },
}

const COMMAND = 'npm run -s admin --'
const DOES_AT = 40
const OPTION_WIDTH = 18

/** The help for one command, for a group of commands, or for all. Null means that there is no such command. */
export function helpOf(words: readonly string[]): string | null {
  const name = words.join(' ')
  if (name === '') return listOfCommands()
  if (Object.hasOwn(PAGES, name)) return helpPage(name, PAGES[name] as HelpPage)
  const names = commandsOf(name)
  return names.length === 0 ? null : names.map((one) => helpPage(one, PAGES[one] as HelpPage)).join('\n')
}

/** The commands of a group, such as `user`. */
export function commandsOf(group: string): string[] {
  return Object.keys(PAGES).filter((name) => name.startsWith(`${group} `))
}

function listOfCommands(): string {
  return `Usage: ${COMMAND} COMMAND [options] [--json]

Commands
${Object.entries(PAGES)
  .map(([name, page]) => listEntry(name, page))
  .join('\n')}

Options
  --json     One JSON object on standard output and nothing else
  --help     This text; behind a command, that of the command

${ROLES}
${SCOPE_LIST}
The database is DATABASE_URL, or the embedded one in DATA_DIR.
`
}

function listEntry(name: string, { takes, does }: HelpPage): string {
  const head = `  ${name}${takes === undefined ? '' : ` ${takes}`}`
  const indent = ' '.repeat(DOES_AT)
  const [first, ...rest] = does
  const begun = head.length < DOES_AT - 1 ? head.padEnd(DOES_AT) : `${head}\n${indent}`
  return [`${begun}${first}`, ...rest.map((line) => `${indent}${line}`)].join('\n')
}

function helpPage(name: string, { takes, does, options = {}, example, more = [] }: HelpPage): string {
  const lines = Object.entries({ ...options, '--json': 'One JSON object on standard output and nothing else' })
  return `Usage: ${COMMAND} ${name}${takes === undefined ? '' : ` ${takes}`}

${does.join('\n')}

${lines.map(([option, what]) => `  ${option.padEnd(OPTION_WIDTH)}${what}`).join('\n')}

Example
  ${COMMAND} ${name}${example === undefined ? '' : ` ${example}`}
${more.map((line) => `\n${line}\n`).join('')}`
}

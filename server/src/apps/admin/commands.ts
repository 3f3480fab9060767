// Defines the commands of `admin`: their options, checks and actions.

import { join } from 'node:path'
import { anchorFileOf } from '../../books/audit/index.ts'
import { type Deps, roleNames, rolesSql } from '../../kernel/db/index.ts'
import type { Config } from '../../kernel/lib/index.ts'
import { anchorsStatus, checkCopy, checkCopyOffline, exportAnchors } from './anchors.ts'
import {
  backUp,
  checkRestored,
  finishRestore,
  prepareRestored,
  type Restored,
  requireBackups,
  requireOwnDatabase,
} from './backup.ts'
import { demo } from './demo.ts'
import { createDemoHistory, type OpenSystem } from './demo-history.ts'
import { removeDemoHistory } from './demo-removal.ts'
import { erasePayer } from './erase.ts'
import { explain, parseExplained } from './explain.ts'
import { makeKey, makeMerchant, stopKey } from './merchants.ts'
import * as read from './options.ts'
import { grantRole, issueToken, readEmails } from './people.ts'
import { disableByEmail, dropLostSecondStep, enableByEmail, revokeOperator } from './people-rights.ts'
import { abandonKey, type Report, rotateSecrets, secretsStatus } from './secrets.ts'
import { planShards } from './shard-plan.ts'
import { requireOptions } from './standalone.ts'
import { importStatement, statementToImport } from './statements.ts'
import { verify } from './verify.ts'

/**
 * The database of a command. `applied` lists the migrations that the program has just applied. `folders` are the folders of the
 * embedded server. `openSystem` builds a system over the database.
 */
type CommandDatabase = {
  url: string
  applied: string[]
  must_separate: boolean
  folders: readonly string[]
  restored: Restored | null
  openSystem: OpenSystem
}

/**
 * With `at once`, the program applies the migrations in one attempt. With `plan`, it only prints them. With `patient`, the
 * program waits briefly for each lock, repeats and reports. With `never`, the program does not migrate.
 */
type MigrationMode = 'at once' | 'plan' | 'patient' | 'never'

/**
 * A restore: the folder of the backups, the new DATA_DIR, and the time up to which PostgreSQL replays the log. Null in `to`
 * means the newest time.
 */
export type RestoreRequest = {
  place: string
  data_dir: string
  to: Date | null
  /**
   * For a check of a backup, the DATA_DIR of the installation. After the check, the program deletes the restored folder. Null
   * means a real restore.
   */
  check_of: string | null
}

/**
 * The action of a command. Before the action runs, the program opens the database and, unless the migration mode is `never`,
 * migrates it.
 */
type CommandAction = (deps: Deps, database: CommandDatabase, report: Report) => Promise<Record<string, unknown>>

/** A command. Before the program opens the database, `prepare` checks the options. */
type Command = {
  takes: readonly read.Option[]
  /** True means that one word follows the name of the command. */
  has_argument?: true
  /** Returns the action. If the command needs no database, returns its text or its result. */
  prepare(
    values: read.OptionValues,
    config: Config,
    argument: string,
  ): CommandAction | string | Promise<Record<string, unknown>>
  /**
   * False means that the command reads and writes no encrypted data. `unchecked` means that the command also runs with keys of
   * another database. `optional` means that the command does less without the right keys. Undefined means that the keys must
   * fit the database.
   */
  needs_key?: false | 'unchecked' | 'optional'
  /** Returns how the program migrates the database for the command. Undefined means `at once`. */
  migration?(values: read.OptionValues): MigrationMode
  /**
   * True means that the command uses the role that owns the tables, because the command changes rows of append-only tables.
   */
  needs_owner?: true
  /** True means that the database must exist. For other commands, the program makes a database in an empty DATA_DIR. */
  must_exist?: true
  /** Returns the restore that makes the database of the command. Undefined means that the command restores nothing. */
  restore?(values: read.OptionValues, config: Config): RestoreRequest
}

const NAME_MAX = 100
const BACKUPS_MAX = 10_000

/** The commands that need a valid configuration, by name. */
export const COMMANDS: Record<string, Command> = {
  demo: {
    takes: ['history', 'remove-history'],
    prepare(values) {
      if (values.history && values['remove-history']) {
        throw new read.UsageError('--history makes the demo history, and --remove-history removes it: give one of them')
      }
      if (values.history) return (deps, { openSystem }, report) => createDemoHistory(deps, openSystem, report)
      return values['remove-history'] ? removeDemoHistory : demo
    },
  },
  'merchant create': {
    takes: ['name', 'email', 'approve'],
    prepare(values) {
      read.required(values, 'name')
      const name = read.optionalLine(values, 'name', NAME_MAX) as string
      const input = { name, email: read.optionalEmail(values), approved: values.approve ?? false }
      return (deps) => makeMerchant(deps, input)
    },
  },
  'key create': {
    takes: ['merchant', 'environment', 'scopes', 'name'],
    prepare(values) {
      const input = {
        merchant_id: read.id(values, 'merchant'),
        environment: read.environment(values),
        scopes: read.scopes(values),
        name: read.optionalLine(values, 'name', NAME_MAX) ?? 'Made by admin',
      }
      return (deps) => makeKey(deps, input, deps.config.keys_per_merchant)
    },
  },
  'key revoke': {
    takes: ['merchant', 'key'],
    prepare(values) {
      const [merchant_id, key_id] = [read.id(values, 'merchant'), read.id(values, 'key')]
      return (deps) => stopKey(deps, merchant_id, key_id)
    },
  },
  'user create': {
    takes: ['email', 'role', 'merchant', 'name', 'subject', 'language'],
    prepare(values, config) {
      const subject = read.optionalLine(values, 'subject', 255) ?? null
      if (subject !== null && config.oidc_issuer === '') {
        throw new read.UsageError(
          '--subject requires a foreign OIDC_ISSUER: the built-in provider chooses the subjects',
        )
      }
      const input = {
        email: read.requiredEmail(values),
        ...read.roleAndMerchant(values),
        name: read.optionalLine(values, 'name', NAME_MAX) ?? null,
        language: values.language === undefined ? 'sw' : read.choice(values, 'language', ['sw', 'en']),
        subject,
      } as const
      return (deps) => grantRole(deps, input)
    },
  },
  'user disable': userCommand(disableByEmail),
  'user enable': userCommand(enableByEmail),
  'user revoke-operator': userCommand(revokeOperator),
  'user drop-second-step': userCommand(dropLostSecondStep),
  token: {
    takes: ['email'],
    prepare(values, config) {
      const email = read.requiredEmail(values)
      if (config.oidc_issuer !== '') {
        throw new read.UsageError(
          'OIDC_ISSUER issues the tokens of this installation: sign in at OIDC_ISSUER. This command works only with the built-in provider',
        )
      }
      return (deps) => issueToken(deps, email)
    },
  },
  emails: {
    takes: ['email', 'merchant'],
    must_exist: true,
    prepare(values) {
      const to = read.optionalEmail(values)
      const merchant_id = values.merchant === undefined ? undefined : read.id(values, 'merchant')
      return (deps) => readEmails(deps, { ...(to ? { to } : {}), ...(merchant_id ? { merchant_id } : {}) })
    },
  },
  'statement import': {
    takes: ['provider', 'file', 'from', 'to', 'columns'],
    prepare(values) {
      const input = statementToImport(values)
      return (deps) => importStatement(deps, input)
    },
  },
  'secrets status': { takes: [], must_exist: true, needs_key: 'unchecked', prepare: () => secretsStatus },
  'secrets rotate': {
    takes: [],
    must_exist: true,
    prepare: () => (deps, _database, report) => rotateSecrets(deps, report),
  },
  'secrets abandon': {
    takes: ['key'],
    must_exist: true,
    needs_key: 'unchecked',
    prepare(values) {
      const key_id = read.secretKeyId(values)
      return (deps, _database, report) => abandonKey(deps, key_id, report)
    },
  },
  'audit anchors': { takes: [], must_exist: true, prepare: () => anchorsStatus },
  'audit check': {
    takes: ['file', 'key'],
    prepare(values) {
      const path = read.required(values, 'file')
      if (values.key === undefined) return (deps) => checkCopy(deps, path)
      return checkCopyOffline(path, read.publicKeys(values))
    },
  },
  'audit export': {
    takes: ['file'],
    must_exist: true,
    needs_key: false,
    prepare(values) {
      const path = read.required(values, 'file')
      return (deps) => exportAnchors(deps, path)
    },
  },
  'erase payer': {
    takes: ['phone'],
    needs_owner: true,
    prepare(values) {
      const phone = read.requiredPhone(values)
      return (deps, { url }) => erasePayer(deps, url, phone)
    },
  },
  explain: {
    takes: [],
    has_argument: true,
    needs_key: false,
    must_exist: true,
    prepare(_values, _config, argument) {
      const id = parseExplained(argument)
      if (id === null)
        throw new read.UsageError(
          `"${argument}" is no id: name the id of a payment, payout or webhook delivery, a provider reference, or TXN- and 26 characters`,
        )
      return async (deps) => ({ ...(await explain(deps, id)) })
    },
  },
  backup: {
    takes: ['to', 'keep'],
    must_exist: true,
    needs_key: false,
    migration: () => 'never',
    prepare(values, config) {
      requireBackups(config)
      const place = read.required(values, 'to')
      const keep = read.optionalCount(values, 'keep', BACKUPS_MAX)
      return (deps, { folders }) => backUp(deps, folders[0] as string, place, keep)
    },
  },
  'backup check': {
    takes: ['from', 'scratch'],
    prepare: () => (deps, database) => checkRestored(deps, database, database.restored as Restored),
    restore(values, config) {
      requireBackups(config)
      const place = read.required(values, 'from')
      const data_dir = values.scratch ?? (config.backup_check_dir || join(config.data_dir, 'backup-check'))
      return { place, data_dir, to: null, check_of: config.data_dir }
    },
  },
  restore: {
    takes: ['from', 'data-dir', 'to-time'],
    prepare: () => (deps, database) => prepareRestored(deps, database, database.restored as Restored),
    restore(values, config) {
      requireBackups(config)
      const place = read.required(values, 'from')
      const to = read.optionalTime(values, 'to-time')
      return { place, data_dir: read.required(values, 'data-dir'), to, check_of: null }
    },
  },
  'restore finish': {
    takes: ['to-time'],
    must_exist: true,
    prepare(values, config) {
      requireOwnDatabase(config)
      const to = read.optionalTime(values, 'to-time')
      if (to === null) throw new read.UsageError('--to-time is required: the time to which you restored the database')
      return (deps, database) => finishRestore(deps, database, to)
    },
  },
  'db roles': {
    takes: ['print'],
    prepare(values, config) {
      if (values.print) return rolesSql(roleNames(config.database_url, config.migration_database_url))
      throw new read.UsageError(
        '--print is required: the command changes no database, it only prints the SQL statements',
      )
    },
  },
  'shard plan': { takes: [], must_exist: true, needs_key: false, prepare: () => planShards },
  migrate: {
    takes: ['plan', 'apply'],
    needs_key: false,
    prepare(values) {
      if (values.plan && values.apply)
        throw new read.UsageError('--plan and --apply exclude each other: give one of them')
      return async (_deps, { applied }) => ({ applied })
    },
    migration: (values) => (values.plan ? 'plan' : values.apply ? 'patient' : 'at once'),
  },
  verify: {
    takes: [],
    must_exist: true,
    needs_key: 'optional',
    prepare:
      () =>
      ({ vault, config, clock }, { url, must_separate }) =>
        verify(url, {
          must_separate,
          vault: vault.key_ids.length === 0 ? null : vault,
          now: clock.now(),
          anchors: { file: anchorFileOf(config), now: clock.now() },
        }),
  },
}

/** Makes a command whose only option is an e-mail address. */
function userCommand(act: (deps: Deps, email: string) => Promise<Record<string, unknown>>): Command {
  return {
    takes: ['email'],
    prepare(values) {
      const email = read.requiredEmail(values)
      return (deps) => act(deps, email)
    },
  }
}

/**
 * Splits the words of a command line into the name of the command and its argument. For most commands, the argument is empty.
 */
function splitArgument(words: readonly string[]): { name: string; argument: string } {
  const [first = '', argument = '', ...more] = words
  const has_argument = Object.hasOwn(COMMANDS, first) && COMMANDS[first]?.has_argument === true
  return has_argument && more.length === 0 ? { name: first, argument } : { name: words.join(' '), argument: '' }
}

/**
 * Parses a command line. Returns the action, and how the program must open and migrate the database for the action. If the
 * command is unknown or an option is invalid, throws a UsageError.
 */
export function prepareCommand(
  words: readonly string[],
  values: read.OptionValues,
  config: Config,
): {
  run: ReturnType<Command['prepare']>
  needs_key: Command['needs_key']
  needs_owner: boolean
  must_exist: boolean
  migration: MigrationMode
  restore: RestoreRequest | null
} {
  const { name, argument } = splitArgument(words)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new read.UsageError(`the command "${name}" does not exist: --help lists the commands`)
  requireOptions(name, values, command.takes)
  return {
    run: command.prepare(values, config, argument),
    needs_key: command.needs_key,
    needs_owner: command.needs_owner ?? false,
    must_exist: command.must_exist ?? false,
    migration: command.migration?.(values) ?? 'at once',
    restore: command.restore?.(values, config) ?? null,
  }
}

// Defines the results of the checks of `admin doctor`, and what the checks read.

import type { Reader } from '../../kernel/db/index.ts'
import type { Clock, Config } from '../../kernel/lib/index.ts'
import type { SystemCheck } from '../operators/index.ts'

/** The result of a check without its name. */
export type CheckResult = Omit<SystemCheck, 'name'>

/** A check that holds. */
export const ok = (message: string): CheckResult => ({ status: 'ok', message })
/** A check with a problem that does not stop the server. */
export const warn = (message: string): CheckResult => ({ status: 'warn', message })
/** A check with a problem that stops the server or endangers money. */
export const fail = (message: string): CheckResult => ({ status: 'fail', message })

/** Checks that run one after the other, by name. */
export type CheckTable = Readonly<Record<string, () => Promise<CheckResult> | CheckResult>>

/** What the checks read. */
export type DoctorInput = {
  /** The configuration. Null means that it is invalid, and `config_problems` lists why. */
  config: Config | null
  config_problems: readonly string[]
  /** The names that look like settings and are none, one sentence each. */
  unknown_names: readonly string[]
  /** A reader with the role of the server. Null means that there is no database to connect to, and `no_database` says why. */
  reader: Reader | null
  no_database: string
  /** A reader of DATABASE_READ_URL. Null means that the setting is empty. */
  replica: Reader | null
  /** True if the configuration has two roles. */
  must_separate: boolean
  /** Returns the names of the pending migrations. Throws if the program and the schema contradict each other. */
  pending: () => Promise<string[]>
  /** The folders besides DATA_DIR to which the installation writes. */
  folders: readonly string[]
  clock: Pick<Clock, 'now'>
  /** The e-mail address or phone number that gets a test message, or null. */
  send_test_to: string | null
}

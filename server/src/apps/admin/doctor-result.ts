// Defines the results of the checks of `admin doctor`, and the input of the checks.

import type { Reader } from '../../kernel/db/index.ts'
import type { Clock, Config } from '../../kernel/lib/index.ts'
import type { SystemCheck } from '../operators/index.ts'

/** The status and the message of a check, without its name. */
export type CheckResult = Omit<SystemCheck, 'name'>

/** Makes the result of a check without a problem. */
export const ok = (message: string): CheckResult => ({ status: 'ok', message })
/** Makes the result of a check with a problem that does not stop the server. */
export const warn = (message: string): CheckResult => ({ status: 'warn', message })
/** Makes the result of a check with a problem that stops the server, or endangers money or data. */
export const fail = (message: string): CheckResult => ({ status: 'fail', message })

/** The functions of checks by name. Doctor runs the checks of one table one after the other. */
export type CheckTable = Readonly<Record<string, () => Promise<CheckResult> | CheckResult>>

/** The input of the checks, from the server or from the admin command. */
export type DoctorInput = {
  /** The configuration. Null means that the configuration is invalid, and `config_problems` lists the reasons. */
  config: Config | null
  config_problems: readonly string[]
  /** One sentence for each name that looks like a setting but has no effect. */
  unknown_names: readonly string[]
  /**
   * A reader with the role of the server. Null means that the program has no connection, and `no_database` gives the reason.
   */
  reader: Reader | null
  no_database: string
  /** A reader of DATABASE_READ_URL. Null means that the setting is empty, or that `reader` is null. */
  replica: Reader | null
  /** True if the configuration has two database roles. */
  must_separate: boolean
  /**
   * Returns the names of the pending migrations. If the program and the schema contradict each other, throws an error.
   */
  pending: () => Promise<string[]>
  /** The folders besides DATA_DIR to which the installation writes. */
  folders: readonly string[]
  clock: Pick<Clock, 'now'>
  /** The e-mail address or phone number that receives a test message. Null means that doctor sends no message. */
  send_test_to: string | null
}

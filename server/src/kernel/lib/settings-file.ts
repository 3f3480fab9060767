// Gathers the settings of a process from its environment and from a file such as malipo.env, and finds mistyped names.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { editDistance, nearest } from './nearest.ts'
import { type ProcessVariables, readPrivateFile } from './secret-file.ts'

/** The settings from the environment and the file of a process, by the names of their variables. */
export type GivenSettings = {
  /** The values of the environment, and for missing variables those of the file. */
  values: ProcessVariables
  /** The path of the file. Null means that there is no file. */
  path: string | null
  /** The names of the variables that the file contains. */
  names_in_file: readonly string[]
  /** The names whose value comes from the file, because the environment has no value. */
  from_file: ReadonlySet<string>
  /** The names of the environment, without the file. */
  names_in_environment: readonly string[]
  /** If other users can read or change the file, its octal permissions. Null means that other users cannot. */
  exposure: string | null
}

/** The variable with the path of the file of settings. */
export const SETTINGS_FILE_VARIABLE = 'MALIPO_ENV'
/** If MALIPO_ENV has no value, the server reads the first of these files that exists in the working folder. */
const FILES = ['malipo.env', '.env']

/**
 * Reads the file of settings: that of MALIPO_ENV, or malipo.env or .env in the folder. A variable of the environment overrides
 * that variable of the file. NAME with a value also overrides NAME_FILE of the file, and the reverse. If the server cannot read
 * the file, throws an error with its path.
 */
export function gatherSettings(env: ProcessVariables, folder: string): GivenSettings {
  const path = env[SETTINGS_FILE_VARIABLE] || FILES.map((name) => join(folder, name)).find((file) => existsSync(file))
  const names_in_environment = Object.keys(env).filter((name) => env[name] !== undefined)
  if (path === undefined)
    return { values: env, path: null, names_in_file: [], names_in_environment, from_file: new Set(), exposure: null }
  const { text, exposure } = readSettingsFile(path, env)
  const in_file = parseEnv(text)
  const base = (name: string) => name.replace(/_FILE$/, '')
  const is_given = (name: string) => env[name] !== undefined || Boolean(env[base(name)] || env[`${base(name)}_FILE`])
  const used = Object.entries(in_file).filter(([name]) => !is_given(name))
  return {
    values: { ...Object.fromEntries(used), ...env },
    path,
    names_in_file: Object.keys(in_file),
    names_in_environment,
    from_file: new Set(used.map(([name]) => name)),
    exposure,
  }
}

function readSettingsFile(path: string, env: ProcessVariables) {
  try {
    return readPrivateFile(path, env, 'group')
  } catch (error) {
    const { code } = error as { code?: string }
    throw new Error(
      `${SETTINGS_FILE_VARIABLE}: the server cannot read the file of settings ${path} (${code}): correct the path, or let the user of the server read the file`,
    )
  }
}

/**
 * A name that no setting has, and the setting whose name is nearest, if any. `of_driver` is true for a variable of the database
 * driver, which has an effect only in the environment.
 */
export type UnknownName = { name: string; where: string; nearest: string | null; of_driver: boolean }

/**
 * Variables of Node, the C library and systemd that a file of settings may contain, because systemd can read the same file.
 */
const FOREIGN = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'TZ', 'CREDENTIALS_DIRECTORY']
/** The variables that the database driver reads from the environment of the process, and never from a file of settings. */
const OF_DRIVER = /^PG[A-Z]+$/
/**
 * The smallest number of characters of a mistyped name. Many shorter names of other programs differ from the name of a setting
 * by one letter.
 */
const NEAR_LENGTH_MIN = 7
const TWO_EDITS_FROM = 12

/**
 * Lists the names that are probably wrong names of settings. From .env and the environment, the list has only typing errors.
 * From another file, it has every unknown name except those of FOREIGN. From any file, it has the variables of the database
 * driver that the environment lacks.
 */
export function findUnknownNames(given: GivenSettings, known: ReadonlySet<string>): UnknownName[] {
  const is_own_file = given.path !== null && !/(^|\/)\.env$/.test(given.path)
  const in_file = given.names_in_file
    .filter((name) => !known.has(name) && !FOREIGN.includes(name))
    .map((name) => ({
      name,
      where: given.path as string,
      nearest: nearest(name, known),
      of_driver: OF_DRIVER.test(name),
    }))
    .filter(({ name, of_driver }) =>
      of_driver ? !given.names_in_environment.includes(name) : is_own_file || mistyped(name, known) !== null,
    )
  const elsewhere = given.names_in_environment
    .filter((name) => !known.has(name) && !given.names_in_file.includes(name))
    .map((name) => ({ name, where: 'the environment', nearest: mistyped(name, known), of_driver: false }))
    .filter((found) => found.nearest !== null)
  return [...in_file, ...elsewhere]
}

/**
 * Returns the setting that differs from the name by a typing error: one letter, or two letters of a long name. Null means that
 * there is none, or that the name is too short or has no underscore.
 */
function mistyped(name: string, known: ReadonlySet<string>): string | null {
  if (name.length < NEAR_LENGTH_MIN || !name.includes('_')) return null
  const edits_max = name.length >= TWO_EDITS_FROM ? 2 : 1
  const found = nearest(name, known)
  return found !== null && editDistance(name, found) <= edits_max ? found : null
}

// Reads the files of secrets: those of NAME_FILE, such as systemd credentials and Docker secrets, and malipo.env.

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'

/** The environment variables of a process, by name. */
export type ProcessVariables = Readonly<Record<string, string | undefined>>

/** The folders of secrets that only this container or this unit can read, whatever the permissions of the files are. */
const PRIVATE_FOLDERS = ['/run/secrets/', '/var/run/secrets/']
const GROUP_OR_OTHERS = 0o066
const GROUP_WRITES_OTHERS = 0o026
const OTHERS = 0o006

/**
 * The content of a file. If other users can read or change the file, `exposure` is its octal permissions. Null means that other
 * users cannot.
 */
type PrivateFile = { text: string; exposure: string | null }

/**
 * Reads a file and its permissions. `allowed` is `owner` for a file that only its owner may use, or `group` for a file that a
 * group may use too. Throws the error of the file system.
 */
export function readPrivateFile(path: string, env: ProcessVariables, allowed: 'owner' | 'group'): PrivateFile {
  const file = openSync(path, 'r')
  try {
    const { mode, uid, gid } = fstatSync(file)
    const text = readFileSync(file, 'utf8')
    const permissions = (mode & 0o777).toString(8).padStart(3, '0')
    // root gives a service its secrets in files of this form: the owner is root, and a group of the service can read the file.
    const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])]
    const by_root = uid === 0 && groups.includes(gid) && (mode & GROUP_WRITES_OTHERS) === 0
    const is_exposed = allowed === 'group' ? (mode & OTHERS) !== 0 : (mode & GROUP_OR_OTHERS) !== 0 && !by_root
    return { text, exposure: is_exposed && !isPrivateFolder(path, env) ? permissions : null }
  } finally {
    closeSync(file)
  }
}

function isPrivateFolder(path: string, { CREDENTIALS_DIRECTORY }: ProcessVariables): boolean {
  const folders = CREDENTIALS_DIRECTORY ? [...PRIVATE_FOLDERS, `${CREDENTIALS_DIRECTORY}/`] : PRIVATE_FOLDERS
  return !path.includes('..') && folders.some((folder) => path.startsWith(folder))
}

/**
 * Returns the secret of the file that the variable NAME_FILE names, without the line break at its end. If the file is
 * unreadable, empty or exposed to other users, throws an error. The message continues a sentence that begins with the name.
 */
export function readSecretFile(path: string, name: string, env: ProcessVariables): string {
  let file: PrivateFile
  try {
    file = readPrivateFile(path, env, 'owner')
  } catch (error) {
    const { code } = error as { code?: string }
    throw new Error(
      `has no value, because the server cannot read the file of ${name}_FILE: ${path} (${code}). Correct the path or the permissions`,
    )
  }
  if (file.text.trim() === '')
    throw new Error(`has no value, because the file of ${name}_FILE is empty: write the value into ${path}`)
  if (file.exposure !== null) {
    throw new Error(
      `has no value, because other users can read or change the file of ${name}_FILE: ${path} has the permissions ${file.exposure}. Run: chmod 600 ${path}`,
    )
  }
  let end = file.text.length
  while (end > 0 && '\r\n'.includes(file.text.charAt(end - 1))) end -= 1
  return file.text.slice(0, end)
}

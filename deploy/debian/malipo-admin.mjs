#!/usr/lib/malipo/bin/node
// The command malipo-admin: runs a command of administration as the user malipo, with the settings of /etc/malipo.

import { accessSync, constants, existsSync } from 'node:fs'
import { resolve } from 'node:path'

const USER = 'malipo'
const FOLDER = '/usr/lib/malipo'
const SETTINGS = '/etc/malipo/malipo.env'
const OWNER_SETTINGS = '/etc/malipo/migrate.env'
/** The commands that use the database role that owns the tables. Other commands cannot migrate the database. */
const OWNER_COMMANDS = ['migrate', 'db', 'erase']

const args = process.argv.slice(2)
requireReadable(SETTINGS)
process.env.MALIPO_ENV ??= SETTINGS
process.env.NODE_ENV ??= 'production'
if (process.getuid() === 0) {
  if (OWNER_COMMANDS.includes(args[0]) && existsSync(OWNER_SETTINGS)) process.loadEnvFile(OWNER_SETTINGS)
  process.initgroups(USER, USER)
  process.setgid(USER)
  process.setuid(USER)
}
process.umask(0o027)
// A path in the arguments is relative to the folder of the caller, but this program runs in a folder of its own.
process.argv = [
  ...process.argv.slice(0, 2),
  ...args.map((arg, at) => (args[at - 1] === '--file' ? resolve(arg) : arg.replace(/^--file=(.*)/, withPath))),
]
process.chdir(FOLDER)
await import(`${FOLDER}/server/src/admin.ts`)

function withPath(_, path) {
  return `--file=${resolve(path)}`
}

function requireReadable(file) {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    process.stderr.write(`malipo-admin cannot read ${file} (${error.code}): run the command as root, with sudo\n`)
    process.exit(1)
  }
}

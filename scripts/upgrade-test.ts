// `npm run upgrade-test -- REF` upgrades an installation of the version at REF to this version under load, and rolls it back.
// It runs on the packaged PostgreSQL and on that of PG_BIN (by default PostgreSQL 15 of Debian).

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './generated.ts'

const USAGE = `Usage: npm run upgrade-test -- REF

REF is a tag or commit of the previous version, at or after migration 0062. The test makes a worktree of REF in a temporary folder,
and runs both versions on one schema behind HAProxy (package haproxy of Debian). It upgrades, rolls back, and checks that no request fails
and no event is lost.

Environment
  PER_SECOND   Requests a second (200)
  PG_BIN       Programs of the second PostgreSQL (/usr/lib/postgresql/15/bin); empty: only the packaged PostgreSQL
`

const FOLDER = fileURLToPath(ROOT)
const RUNNER = 'server/test/run.ts'
const TEST = 'server/test/crash/upgrade.ts'

const [ref] = process.argv.slice(2)
if (ref === undefined || ref === '--help' || ref === '-h') {
  process[ref === undefined ? 'stderr' : 'stdout'].write(USAGE)
  process.exit(ref === undefined ? 2 : 0)
}
const second = process.env.PG_BIN ?? '/usr/lib/postgresql/15/bin'
if (second !== '' && !existsSync(join(second, 'initdb'))) {
  process.stderr.write(
    `${second} has no PostgreSQL: install postgresql-15, or set PG_BIN to the folder of the programs of another PostgreSQL, or to an empty text\n`,
  )
  process.exit(1)
}
process.exitCode = await upgradeFrom(ref)

/** Runs the test on each PostgreSQL until a run fails, and returns the exit code. */
async function upgradeFrom(previous: string): Promise<number> {
  const folder = join(mkdtempSync(join(tmpdir(), 'malipo-previous-')), 'malipo')
  const made = run('git', ['worktree', 'add', '--detach', folder, previous], FOLDER)
  if (made !== 0) return made
  try {
    const is_same = packagesOf(folder) === packagesOf(FOLDER)
    if (is_same) symlinkSync(join(FOLDER, 'node_modules'), join(folder, 'node_modules'))
    else if (run('npm', ['ci', '--silent'], folder) !== 0) return 1
    for (const programs of second === '' ? [''] : ['', second]) {
      process.stdout.write(`PostgreSQL: ${programs === '' ? 'packaged' : programs}\n`)
      const code = await test({ PREVIOUS_DIR: folder, TEST_PG_BIN: programs })
      if (code !== 0) return code
    }
    return 0
  } finally {
    run('git', ['worktree', 'remove', '--force', folder], FOLDER)
  }
}

/** Returns the installed packages of the lock file of a folder, without the packages of this repository. */
function packagesOf(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: object }
  return JSON.stringify(Object.entries(packages).filter(([path]) => path.includes('node_modules/')))
}

/** Runs a program in a folder, and returns its exit code. */
function run(program: string, args: readonly string[], cwd: string): number {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (error) process.stderr.write(`${program} did not start: ${error.message}\n`)
  return status ?? 1
}

/** Runs the test file with these settings, and returns the exit code. */
function test(env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, [join(FOLDER, RUNNER), TEST], {
    cwd: FOLDER,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  return new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('close', (code) => resolve(code ?? 1))
  })
}

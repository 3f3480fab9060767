// `npm run ha` runs server/test/ha/main.ts in network, mount and process namespaces of its own. When this program ends for any
// reason, the kernel ends every process of the test and removes its networks and its file systems.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './generated.ts'

const USAGE = `Usage: npm run ha

Starts three database nodes (Patroni, etcd, PostgreSQL 15) with the files of deploy/ha, each in a network namespace. Also starts HAProxy, the server
and the worker of Malipo, a provider and a receiver of webhooks. Makes the nodes fail under load and counts lost payments. Needs root and the
packages patroni, etcd-server, haproxy, postgresql-15, iproute2, util-linux, curl and openssl of Debian 12. Nothing outside the namespaces changes.

Environment
  ROUNDS       Rounds of each fault (1; the long form: 20)
  FAULTS       The faults, separated by commas, or all (all)
  PER_SECOND   Payments a second (30)
  SEED         Seed of the load and of the moments (random; the test prints it)
`

/** The programs that the test starts, each with its package of Debian. */
const PROGRAMS: Readonly<Record<string, string>> = {
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/sbin/ip': 'iproute2',
  '/usr/bin/setpriv': 'util-linux',
  '/usr/bin/unshare': 'util-linux',
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/curl': 'curl',
}
const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

const args = process.argv.slice(2)
if (args.length > 0) {
  const wants_help = args[0] === '--help' || args[0] === '-h'
  process[wants_help ? 'stdout' : 'stderr'].write(USAGE)
  process.exit(wants_help ? 0 : 2)
}
const problem = findObstacle()
if (problem !== null) {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}
process.exitCode = await runTest()

/** Returns why the test cannot run on this machine, with the remedy. Null means that the test can run. */
function findObstacle(): string | null {
  if (process.getuid?.() !== 0)
    return 'npm run ha makes network namespaces, for which it needs the rights of root: run the command with sudo'
  const missing = Object.entries(PROGRAMS).filter(([path]) => !existsSync(path))
  if (missing.length > 0) {
    const packages = [...new Set(missing.map(([, name]) => name))].join(' ')
    return `missing: ${missing.map(([path]) => path).join(', ')}. Install the packages: apt-get install --no-install-recommends ${packages}`
  }
  const { status, stderr } = spawnSync('unshare', [...NAMESPACES, 'true'], { encoding: 'utf8' })
  if (status !== 0) return `this kernel or container permits no namespaces (${stderr.trim()}): use a virtual machine`
  return null
}

/**
 * Runs the test, and returns its exit code. A stop signal, or the end of this process, ends every process in the namespaces.
 */
function runTest(): Promise<number> {
  const program = join(fileURLToPath(ROOT), 'server/test/ha/main.ts')
  // The shell is the first process of its namespace and collects the ended processes that have lost their parent.
  const command = ['sh', '-c', '"$@"; exit $?', 'sh', process.execPath, program]
  // If this process dies, the kernel kills `unshare`, whose end ends every process of the namespaces.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...NAMESPACES, ...command], {
    // Temporary files go to the file system in memory of the test.
    env: { ...process.env, TMPDIR: '/mnt/tmp' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGKILL'))
  return new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('close', (code) => resolve(code ?? 1))
  })
}

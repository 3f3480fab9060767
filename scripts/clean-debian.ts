// Makes a clean Debian system in a folder, boots its systemd without a network, and runs commands in it.

import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The packages of the clean system: systemd, and the packages that the handbook installs with apt-get. */
const PACKAGES =
  'systemd,systemd-sysv,dbus,adduser,ca-certificates,openssl,curl,postgresql,caddy,nginx-light,haproxy,prometheus'
const BOOT_MS_MAX = 120_000
/** The longest time of one script, in milliseconds. */
const SCRIPT_MS_MAX = 20 * 60_000
/** The folder in the clean system with this checkout, read-only. */
export const CHECKOUT = '/srv/checkout'
const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** A running Debian system, which only this program uses. */
export type CleanDebian = {
  /** The absolute path on this machine of the root folder of the system. */
  root: string
  /** Runs a script of bash in the system, and returns its output. At the first error, stops the script and throws. */
  run(script: string): string
  /** Runs a script like `run`, but returns status and output even after an error. */
  attempt(script: string): SpawnSyncReturns<string>
  /** Ends the system and removes its folder. */
  close(): Promise<void>
}

/**
 * Boots a clean system from the archive `base`. If that file is missing, makes the file first from the Debian mirror of this
 * machine, in some minutes.
 */
export async function bootCleanDebian(base: string): Promise<CleanDebian> {
  if (process.getuid?.() !== 0) throw new Error('this command starts a Debian system: run the command as root')
  if (!existsSync(base)) makeBase(base)
  const root = mkdtempSync(join(tmpdir(), 'malipo-debian-'))
  execFileSync('tar', ['-xf', base, '-C', root, '--numeric-owner'])
  // Only one proxy at a time can listen on ports 80 and 443.
  execFileSync('systemctl', ['--root', root, 'mask', 'nginx', 'haproxy'], { stdio: 'ignore' })
  const options = [
    '--quiet',
    '--directory',
    root,
    '--boot',
    '--register=no',
    '--keep-unit',
    '--private-network',
    `--bind-ro=${ROOT}:${CHECKOUT}`,
    '--rlimit=NOFILE=1024:524288',
  ]
  const nspawn = spawn('systemd-nspawn', [...options, '--console=pipe', '--link-journal=no'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [nspawn.stdout, nspawn.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = new Promise<void>((resolve) => nspawn.on('close', () => resolve()))
  const attempt = (script: string) => enter(nspawn.pid as number, script)
  const close = async () => {
    attempt('systemctl poweroff')
    const late = setTimeout(() => nspawn.kill('SIGKILL'), 60_000)
    await ended
    clearTimeout(late)
    rmSync(root, { recursive: true, force: true })
  }
  const run = (script: string) => {
    const { status, stdout, stderr } = attempt(script)
    if (status !== 0) throw new Error(`the script failed with status ${status}:\n${script}\n${stdout}\n${stderr}`)
    return stdout
  }
  const give_up = Date.now() + BOOT_MS_MAX
  while (!/^(?:running|degraded)/.test(attempt('systemctl is-system-running').stdout ?? '')) {
    if (nspawn.exitCode !== null || Date.now() > give_up) {
      await close()
      throw new Error(`the clean Debian system did not start:\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  return { root, run, attempt, close }
}

/** Makes the archive of a clean system of this machine's Debian release. */
function makeBase(base: string): void {
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? ''
  const folder = '/etc/apt/sources.list.d'
  const sources = ['/etc/apt/sources.list', ...readdirSync(folder).map((name) => join(folder, name))].filter(
    (path) =>
      /\.(?:list|sources)$/.test(path) && existsSync(path) && readFileSync(path, 'utf8').includes(`${release} `),
  )
  const unfinished = `${base}.${process.pid}.tar`
  const args = ['--variant=minbase', `--include=${PACKAGES}`, release, unfinished, ...sources]
  execFileSync('mmdebstrap', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  renameSync(unfinished, base)
}

/** Runs a script in the system that the process `nspawn` started. */
function enter(nspawn: number, script: string): SpawnSyncReturns<string> {
  const children = `/proc/${nspawn}/task/${nspawn}/children`
  const [leader = ''] = existsSync(children) ? readFileSync(children, 'utf8').split(' ') : []
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LANG: 'C.UTF-8',
    DEBIAN_FRONTEND: 'noninteractive',
  }
  const into = ['--target', leader, '--mount', '--uts', '--ipc', '--net', '--pid', '--']
  const shell = ['bash', '--norc', '-euo', 'pipefail', '-c', `cd /root\n${script}`]
  return spawnSync('nsenter', [...into, ...shell], { env, input: '', encoding: 'utf8', timeout: SCRIPT_MS_MAX })
}

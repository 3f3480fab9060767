// Makes the network of three database nodes: a bridge, and one network namespace for each node. Runs in the namespaces of `npm
// run ha`.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A database node: its name in the files of deploy/ha, and its address. */
export type DatabaseNode = { name: string; address: string }

/** The nodes, as the files of deploy/ha name them. */
export const NODES: readonly DatabaseNode[] = [1, 2, 3].map((n) => ({ name: `pg${n}`, address: `10.0.0.1${n}` }))

const ip = (...args: string[]) => execFileSync('ip', args, { encoding: 'utf8' })

/** Makes the bridge and the nodes. The address of this process on the bridge is 10.0.0.1. */
export function createNetwork(): void {
  // This mount hides the machine's own folder, so that the names of these namespaces stay in the mount namespace of the test.
  execFileSync('sh', ['-c', 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns'])
  ip('link', 'set', 'lo', 'up')
  ip('link', 'add', 'nodes', 'type', 'bridge')
  ip('addr', 'add', '10.0.0.1/24', 'dev', 'nodes')
  ip('link', 'set', 'nodes', 'up')
  for (const { name, address } of NODES) {
    ip('netns', 'add', name)
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    ip('link', 'set', name, 'master', 'nodes')
    ip('link', 'set', name, 'up')
    ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
    ip('-n', name, 'link', 'set', 'eth0', 'up')
    ip('-n', name, 'link', 'set', 'lo', 'up')
  }
}

/** Cuts a node off from every other address, in both directions, or joins it again. */
export function setLink({ name }: DatabaseNode, state: 'up' | 'down'): void {
  ip('link', 'set', name, state)
}

/** A process of a node, with its command line. */
export type NodeProcess = { pid: number; command: string }

/** Returns the processes that run in the network namespace of a node. */
export function processesOf({ name }: DatabaseNode): NodeProcess[] {
  const pids = ip('netns', 'pids', name).split('\n').filter(Boolean).map(Number)
  return pids.flatMap((pid) => {
    try {
      return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }]
    } catch {
      return [] // The process has ended.
    }
  })
}

/** Sends a signal to the processes of a node whose command lines match. Returns the number of signalled processes. */
export function signalProcesses(
  node: DatabaseNode,
  name: NodeJS.Signals,
  matches: (command: string) => boolean,
): number {
  let sent = 0
  for (const { pid, command } of processesOf(node)) {
    if (!matches(command)) continue
    try {
      process.kill(pid, name)
      sent++
    } catch {
      // The process ended before the signal arrived.
    }
  }
  return sent
}

/** True for the command line of a process of PostgreSQL. */
export const isPostgres = (command: string): boolean => /^postgres: |\/bin\/postgres /.test(command)
/** True for the command line of Patroni. */
export const isPatroni = (command: string): boolean => command.includes('/usr/bin/patroni ')
/** True for the command line of etcd. */
export const isEtcd = (command: string): boolean => /(^|\/)etcd( |$)/.test(command)

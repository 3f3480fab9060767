// Defines the faults of `npm run ha`. Each fault breaks one part of the cluster under load, and returns the function that
// repairs it.

import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { until } from '../crash/processes.ts'
import {
  configure,
  copyAgain,
  diskOf,
  findEtcdLeader,
  findLeader,
  runOn,
  standbysOf,
  startMissing,
  switchOver,
  untilHealthy,
} from './cluster.ts'
import { type DatabaseNode, isEtcd, isPatroni, isPostgres, NODES, setLink, signalProcesses } from './network.ts'

/** The context of a fault: random numbers of the seed, and a function that waits for a number of accepted payments. */
export type FaultContext = { random: () => number; payments(count: number): Promise<void> }

/**
 * Breaks the cluster. Returns the repair, which the test calls when the platform accepts payments again. After the repair all nodes
 * become healthy without further help.
 */
export type Fault = (context: FaultContext) => Promise<() => Promise<void>>

const runProgram = promisify(execFile)
/** The time in milliseconds for which a frozen node does not run. */
const FROZEN_MS = 40_000
/** The time in milliseconds after which the fault reconnects a node that it has cut off. */
const CUT_MS = 30_000
/** The time in milliseconds within which Patroni must demote a node that an operator promoted beside the leader. */
const DEMOTED_MS_MAX = 60_000

async function leaderNow(): Promise<DatabaseNode> {
  const leader = await findLeader()
  if (leader === null) throw new Error('no node leads')
  return leader
}

const everything = () => true
const isDatabase = (command: string) => isPostgres(command) || isPatroni(command)

/** Returns a node that follows the leader: the synchronous or the asynchronous standby. */
async function followerOf(leader: DatabaseNode, kind: 'sync' | 'async'): Promise<DatabaseNode> {
  const standbys = await standbysOf(leader)
  const { application_name } = standbys.find((standby) => (standby.sync_state === 'sync') === (kind === 'sync')) ?? {}
  const node = NODES.find(({ name }) => name === application_name)
  if (node === undefined) throw new Error(`no ${kind} standby follows ${leader.name}`)
  return node
}

const killPostgres: Fault = async () => {
  signalProcesses(await leaderNow(), 'SIGKILL', isPostgres)
  return async () => {} // Patroni starts PostgreSQL again, or promotes another node.
}

const killDatabase: Fault = async () => {
  signalProcesses(await leaderNow(), 'SIGKILL', isDatabase)
  return async () => startMissing()
}

const freezeNode: Fault = async () => {
  const leader = await leaderNow()
  const begin = performance.now()
  signalProcesses(leader, 'SIGSTOP', everything)
  return async () => {
    await sleep(Math.max(0, FROZEN_MS - (performance.now() - begin)))
    signalProcesses(leader, 'SIGCONT', everything)
  }
}

const cutNetwork: Fault = async () => {
  const leader = await leaderNow()
  const begin = performance.now()
  setLink(leader, 'down')
  return async () => {
    await sleep(Math.max(0, CUT_MS - (performance.now() - begin)))
    setLink(leader, 'up')
  }
}

const killEtcdLeader: Fault = async () => {
  signalProcesses(await findEtcdLeader(), 'SIGKILL', isEtcd)
  return async () => startMissing()
}

const fillDisk: Fault = async () => {
  const ballast = join(diskOf(await leaderNow()), 'ballast')
  // Fills the disk: first in large steps, then to the last page. dd fails when the disk is full. The provider runs in this
  // process, which must not wait.
  const fill = (file: string, size: string) =>
    runProgram('dd', ['if=/dev/zero', `of=${file}`, `bs=${size}`]).catch(() => {})
  await fill(ballast, '1M')
  await fill(`${ballast}-2`, '4k')
  return async () => {
    for (const file of [ballast, `${ballast}-2`]) rmSync(file, { force: true })
  }
}

const switchByHand: Fault = async () => {
  await switchOver()
  return async () => {}
}

/** Promotes a standby beside the leader. The servers must not use this node, and its writes must not remain. */
const promoteByHand: Fault = async ({ random }) => {
  const leader = await leaderNow()
  const promoted = await followerOf(leader, random() < 0.5 ? 'sync' : 'async')
  await runOn(promoted, 'select pg_promote(false)')
  const isPrimary = async () => (await runOn<{ is: boolean }>(promoted, 'select not pg_is_in_recovery() as is'))[0]?.is
  await until(
    'the promoted node is a primary',
    async () => (await isPrimary().catch(() => false)) === true,
    10_000,
  ).catch(() => {})
  const text = 'create table written_beside_the_leader ()'
  const written = await runOn(promoted, text).then(
    () => true,
    () => false,
  )
  const users = await runOn<{ n: number }>(
    promoted,
    `select count(*)::int as n from pg_stat_activity where usename like 'malipo%'`,
  ).catch(() => [{ n: 0 }])
  if (users[0]?.n !== 0)
    throw new Error(`Malipo has ${users[0]?.n} connections to ${promoted.name}, which does not lead`)
  process.stdout.write(
    `  ${promoted.name} promoted beside ${leader.name}; a write there was ${written ? 'accepted' : 'refused'}\n`,
  )
  return async () => {
    const isStandby = async () => (await isPrimary().catch(() => true)) === false
    await until(`${promoted.name} follows the leader again`, isStandby, DEMOTED_MS_MAX)
    const left = await runOn(await leaderNow(), `select 1 from pg_class where relname = 'written_beside_the_leader'`)
    if (left.length > 0) throw new Error('a write beside the leader came into the database of the platform')
    // The timeline of the promoted node is newer than that of the leader, so the node needs a new copy before it can follow.
    await copyAgain(promoted)
  }
}

/**
 * The control, which must lose payments: the leader commits alone, both standbys receive nothing, and the leader dies. The data
 * of the dead leader is lost, because this node must follow the new leader.
 */
const loseAsynchronous: Fault = async ({ payments }) => {
  await configure({
    synchronous_mode: false,
    synchronous_mode_strict: false,
    // With the default limit, no standby takes over after so much lost data.
    maximum_lag_on_failover: 2 ** 30,
  })
  await untilHealthy(false)
  const leader = await leaderNow()
  const others = NODES.filter((node) => node !== leader)
  const isReceiver = (command: string) => /^postgres: .*walreceiver/.test(command)
  for (const node of others) signalProcesses(node, 'SIGSTOP', isReceiver)
  await payments(20)
  signalProcesses(leader, 'SIGKILL', isDatabase)
  // A receiver process that continued would still read the data that the leader sent before its death.
  for (const node of others) signalProcesses(node, 'SIGKILL', isReceiver)
  return async () => startMissing()
}

/** The faults that must lose nothing, by the names of the setting FAULTS. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'postgres-killed': killPostgres,
  'database-killed': killDatabase,
  'node-frozen': freezeNode,
  'network-cut': cutNetwork,
  'etcd-leader-killed': killEtcdLeader,
  'disk-full': fillDisk,
  switchover: switchByHand,
  'promoted-by-hand': promoteByHand,
}

/**
 * The control, by its name in the setting FAULTS. The control runs last, because the books lack the lost payments afterwards.
 */
export const CONTROL = { name: 'asynchronous', fault: loseAsynchronous }

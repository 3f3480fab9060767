// Detects a silent database, which neither answers nor closes its connections, for example after a network failure. A heartbeat
// over a separate connection distinguishes a silent database from a slow statement.

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { DatabaseHosts } from './hosts.ts'

/** The time in milliseconds that a statement waits before the watch sends a heartbeat. */
const PATIENCE_MS = 300
/** The interval in milliseconds at which the watch checks waiting statements. */
const CHECK_EVERY_MS = 100
/**
 * The timeout of a heartbeat in milliseconds. Together with PATIENCE_MS, it ends the wait of callers within 2.5 seconds.
 */
const HEARTBEAT_TIMEOUT_MS = 1_500
/** The pause in milliseconds after which the watch opens a lost heartbeat connection again. */
const RECONNECT_EVERY_MS = 1_000
/**
 * The idle time in milliseconds after which TCP probes the heartbeat connection, so that no firewall drops the connection.
 */
const PROBE_EVERY_MS = 10_000

/** The hosts of the database, and the functions that the watch calls. */
export type WatchOptions = {
  hosts: DatabaseHosts
  /** The function that the watch calls when the database becomes silent. The connections of the pool are then unusable. */
  on_silent: () => void
  /** The function that the watch calls when the database answers again. */
  on_answer: () => void
}

/** Detects a silent database and rejects the calls that wait for that database. */
export type DbWatch = {
  /**
   * Calls `begin` and returns its result. If the database becomes silent, rejects. While the database is silent, rejects and
   * does not call `begin`.
   */
  over<Result>(begin: () => Promise<Result>): Promise<Result>
  /** Records that the database has just answered a statement. */
  answered(): void
  /**
   * Starts the watch. Call this function after the start of the process, because a busy start could look like a silent
   * database. The heartbeat connects immediately, because an overloaded machine may later fail to connect in time.
   */
  arm(): void
  close(): void
}

/** Makes the error for callers of a silent database, with the SQLSTATE of a failed connection. */
function silence(): Error {
  return Object.assign(new Error('the database does not answer'), { code: '08006' })
}

/** Returns true for an error that the database sent. Such an error proves that the database answers. */
function isAnswer(error: unknown): boolean {
  return typeof (error as { severity?: unknown } | null)?.severity === 'string'
}

type WaitingCall = { since: number; reject: (error: Error) => void }

/** Makes a watch. If the database answers every statement within PATIENCE_MS, the watch sends no heartbeat. */
export function createWatch({ hosts, on_silent, on_answer }: WatchOptions): DbWatch {
  const heartbeat = createHeartbeat(hosts)
  const waiting = new Set<WaitingCall>()
  let check_timer: NodeJS.Timeout | null = null
  let checking = false
  let silent = false
  let closed = false
  let armed = false

  /** Rejects all waiting calls, then sends heartbeats until the database answers again. */
  const endWaitingCalls = async () => {
    silent = true
    for (const { reject } of [...waiting]) reject(silence())
    waiting.clear()
    on_silent()
    // If no host accepts writes, a heartbeat may fail immediately.
    while (!closed && !(await heartbeat.beat())) await sleep(CHECK_EVERY_MS)
    silent = false
    if (!closed) on_answer()
  }
  const check = () => {
    check_timer = null
    if (closed || silent || !armed) return
    const [oldest] = waiting
    if (oldest === undefined) return
    scheduleCheck()
    if (checking || performance.now() - oldest.since < PATIENCE_MS) return
    checking = true
    heartbeat
      .beat()
      .then((answers) => (answers || closed ? undefined : endWaitingCalls()))
      .finally(() => {
        checking = false
      })
      .catch(() => {}) // Neither promise rejects, so there is no error to handle.
  }
  const scheduleCheck = () => {
    check_timer ??= setTimeout(check, CHECK_EVERY_MS)
    check_timer.unref()
  }
  return {
    over: (begin) =>
      new Promise((resolve, reject) => {
        if (silent) return reject(silence())
        const call: WaitingCall = { since: performance.now(), reject }
        waiting.add(call)
        scheduleCheck()
        const done = () => waiting.delete(call)
        begin().then(
          (result) => {
            done()
            resolve(result)
          },
          (error) => {
            done()
            if (isAnswer(error)) heartbeat.answered()
            reject(error)
          },
        )
      }),
    answered: heartbeat.answered,
    arm() {
      if (armed || closed) return
      armed = true
      heartbeat.keepConnected()
      scheduleCheck()
    },
    close() {
      closed = true
      if (check_timer !== null) clearTimeout(check_timer)
      heartbeat.close()
    },
  }
}

/** Makes a separate connection that sends only heartbeats. */
function createHeartbeat(hosts: DatabaseHosts) {
  let answered_at = 0
  let reconnect_timer: NodeJS.Timeout | null = null
  let connection: { client: pg.Client; connected: Promise<unknown> } | null = null

  const drop = () => {
    const dropped = connection
    connection = null
    if (dropped !== null) destroyConnection(dropped.client)
  }
  const connect = () => {
    const client = new hosts.Client({
      application_name: 'malipo heartbeat',
      keepAlive: true,
      keepAliveInitialDelayMillis: PROBE_EVERY_MS,
    })
    const forget = () => {
      if (connection?.client === client) connection = null
    }
    client.on('error', forget)
    client.on('end', forget)
    const connected = client.connect()
    connected.catch(forget)
    connection = { client, connected }
    return connection
  }
  return {
    /** Records that the database has just answered. */
    answered() {
      answered_at = performance.now()
    },
    /**
     * Sends one heartbeat. If the database answers in time, returns true. With one host, an error in time counts as an answer.
     * With several hosts, one of them must accept the connection.
     */
    async beat(): Promise<boolean> {
      const begun_at = performance.now()
      return await withinTicks(HEARTBEAT_TIMEOUT_MS, () =>
        hosts.inTurn(async () => {
          const { client, connected } = connection ?? connect()
          await connected
          await client.query('select 1')
        }),
      ).then(
        () => true,
        (error) => {
          const late = connection
          drop()
          if (error !== LATE) return hosts.count === 1
          if (late !== null) hosts.leave(late.client)
          // On a busy machine the heartbeat may be late. An answer to another statement since the heartbeat began counts too.
          return answered_at > begun_at
        },
      )
    },
    /** Opens the connection now, and again after each loss of the connection. */
    keepConnected() {
      if (connection === null) connect()
      reconnect_timer = setInterval(() => connection ?? connect(), RECONNECT_EVERY_MS)
      reconnect_timer.unref()
    },
    close() {
      if (reconnect_timer !== null) clearInterval(reconnect_timer)
      drop()
    },
  }
}

/** The error with which `withinTicks` rejects after its timeout. */
const LATE = new Error('the call did not end before its timeout')

/**
 * Returns the result of `work`. If `work` does not end within `ms`, rejects with LATE. The function counts ticks of a timer. A
 * process that is too busy to read its sockets counts fewer ticks, and so does not report its database as silent.
 */
export function withinTicks<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    let left = ms
    const tick = setInterval(() => {
      left -= TICK_MS
      if (left > 0) return
      clearInterval(tick)
      setImmediate(() => setImmediate(reject, LATE))
    }, TICK_MS)
    tick.unref()
    work()
      .then(resolve, reject)
      .finally(() => clearInterval(tick))
  })
}

const TICK_MS = 100

/** Destroys the socket of a connection immediately, because an orderly end would wait for the silent server. */
export function destroyConnection(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}

// The watch over a database that hangs: it neither answers nor closes its connections, as after a cut cable or on a machine
// that stopped. A slow statement is no sign of that: a heartbeat on a connection of its own tells the two apart.

import pg from 'pg'

/** A statement that has waited this long makes the watch ask whether the database answers at all. */
const PATIENCE_MS = 300
/** How often the watch looks at what waits. */
const LOOK_EVERY_MS = 100
/** A database that answers nothing for this long is taken for silent. With PATIENCE_MS it leaves callers within 2.5 seconds. */
const BEAT_MS_MAX = 1_500
/** How often a heartbeat connection that was lost is opened again. */
const CONNECT_EVERY_MS = 1_000
/** An idle heartbeat connection is probed this often, so that no firewall on its way forgets it. */
const PROBE_EVERY_MS = 10_000

/** Options of `createWatch`. */
export type WatchOptions = {
  url: string
  /** Called when the database has stopped answering: its connections are of no use any more. */
  on_silent: () => void
  /** Called when it answers again. */
  on_answer: () => void
}

/** Knows whether the database answers, and ends what waits for it when it does not. */
export type Watch = {
  /** The outcome of `begin`; rejects as unavailable once the database is silent. `begin` is not called while it is. */
  over<Result>(begin: () => Promise<Result>): Promise<Result>
  /** Tells that the database has just answered a statement. */
  answered(): void
  /**
   * Begins to watch: a process that starts is busy itself, and a failed start would end it. The heartbeat is connected now,
   * because a machine that is short of time later may not open a connection in time.
   */
  arm(): void
  close(): void
}

/** The error of what waited for a silent database. Its SQLSTATE is that of a failed connection. */
function silence(): Error {
  return Object.assign(new Error('the database does not answer'), { code: '08006' })
}

/** True for an error that the database itself sent: it answers. */
function isAnswer(error: unknown): boolean {
  return typeof (error as { severity?: unknown } | null)?.severity === 'string'
}

/** Makes a watch. It asks nothing while every statement is answered soon. */
export function createWatch({ url, on_silent, on_answer }: WatchOptions): Watch {
  type Waiting = { since: number; reject: (error: Error) => void }
  const waiting = new Set<Waiting>()
  let looking: NodeJS.Timeout | null = null
  let asking = false
  let silent = false
  let closed = false
  let armed = false
  let answered_at = 0
  let connecting: NodeJS.Timeout | null = null
  let heart: { client: pg.Client; connected: Promise<unknown> } | null = null

  const answered = () => {
    answered_at = performance.now()
  }
  const drop = () => {
    const gone = heart
    heart = null
    if (gone !== null) cut(gone.client)
  }
  const connect = () => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'malipo heartbeat',
      keepAlive: true,
      keepAliveInitialDelayMillis: PROBE_EVERY_MS,
    })
    const gone = () => {
      if (heart?.client === client) heart = null
    }
    client.on('error', gone)
    client.on('end', gone)
    const connected = client.connect()
    connected.catch(gone)
    heart = { client, connected }
    return heart
  }
  /** Whether the database says anything, and be it no. */
  const beat = async (): Promise<boolean> => {
    const begun_at = performance.now()
    return await within(BEAT_MS_MAX, async () => {
      const { client, connected } = heart ?? connect()
      await connected
      await client.query('select 1')
    }).then(
      () => true,
      (error) => {
        drop()
        // On a busy machine the heartbeat may be late; a statement that was answered meanwhile says the same.
        return error !== LATE || answered_at > begun_at
      },
    )
  }
  const fall = async () => {
    silent = true
    for (const { reject } of [...waiting]) reject(silence())
    waiting.clear()
    on_silent()
    while (!closed && !(await beat())) {
      // Each beat takes its time: this is no busy loop.
    }
    silent = false
    if (!closed) on_answer()
  }
  const look = () => {
    looking = null
    if (closed || silent || !armed) return
    const [oldest] = waiting
    if (oldest === undefined) return
    look_again()
    if (asking || performance.now() - oldest.since < PATIENCE_MS) return
    asking = true
    beat()
      .then((answers) => (answers || closed ? undefined : fall()))
      .finally(() => {
        asking = false
      })
      .catch(() => {}) // neither of them rejects
  }
  const look_again = () => {
    looking ??= setTimeout(look, LOOK_EVERY_MS)
    looking.unref()
  }
  return {
    over: (begin) =>
      new Promise((resolve, reject) => {
        if (silent) return reject(silence())
        const entry: Waiting = { since: performance.now(), reject }
        waiting.add(entry)
        look_again()
        const done = () => waiting.delete(entry)
        begin().then(
          (result) => {
            done()
            resolve(result)
          },
          (error) => {
            done()
            if (isAnswer(error)) answered()
            reject(error)
          },
        )
      }),
    answered,
    arm() {
      if (armed || closed) return
      armed = true
      if (heart === null) connect()
      connecting = setInterval(() => heart ?? connect(), CONNECT_EVERY_MS)
      connecting.unref()
      look_again()
    },
    close() {
      closed = true
      if (looking !== null) clearTimeout(looking)
      if (connecting !== null) clearInterval(connecting)
      drop()
    },
  }
}

/** What `within` rejects with when the time is over. */
const LATE = new Error('it did not answer in time')

/**
 * The outcome of `work`, or a rejection with LATE after `ms`. The time is counted in ticks: while this process is too busy to read its
 * sockets it counts less, or a busy process would take its database for silent.
 */
export function within<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
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

/** Ends a connection at once, without a word: a good-bye would wait for a server that hears nothing. */
export function cut(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}

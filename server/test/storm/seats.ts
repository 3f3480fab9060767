// The processes of the platform in a storm: each sits in a place of its own, dies at any moment, and is followed by another.

import { type Child, serverEnv, startChild } from '../crash/processes.ts'

/** One place in which a process of the platform runs. */
export type Seat = {
  name: string
  serves: boolean
  url: string
  kills(): number
  /** Ends the process as a power cut would, and starts the next one. Resolves when the old one is dead. */
  kill(): Promise<void>
  /** Resolves when it answers; a worker is ready when it says so. */
  ready(): Promise<void>
  /** What any process in it has logged as errors; `busy`: the times at which its database had no connection left for it. */
  errors(): { unexpected: string[]; busy: number }
  close(): Promise<void>
}

const ERROR = /"level":"error".*/g
/** Its caller was told 503, and asks again: on a small machine that comes of the load, and says nothing about the books. */
const BUSY = '"msg":"database unavailable"'

/** Takes a seat and starts its first process. */
export function takeSeat(name: string, database_url: string, env: Record<string, string>): Seat {
  const serves = env.PROCESS !== 'worker'
  // One folder for all of them: each generated secret is made once.
  const settings = serverEnv(database_url, env)
  const start = (): Child => startChild(settings)
  const errors: string[] = []
  let child = start()
  let kills = 0
  const end = async () => {
    await child.kill()
    errors.push(...(child.output().match(ERROR) ?? []))
  }
  return {
    name,
    serves,
    url: `http://127.0.0.1:${env.PORT}`,
    kills: () => kills,
    async kill() {
      await end()
      kills += 1
      child = start()
    },
    async ready() {
      if (serves) await child.ready()
    },
    errors() {
      const all = [...errors, ...(child.output().match(ERROR) ?? [])]
      const unexpected = all.filter((line) => !line.includes(BUSY))
      return { unexpected, busy: all.length - unexpected.length }
    },
    close: end,
  }
}

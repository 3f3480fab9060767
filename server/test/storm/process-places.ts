// Runs the processes of the platform in a storm. Each place has one process at a time. The test kills the process at random
// moments, and a new process replaces it.

import { type Child, serverEnv, startChild } from '../crash/processes.ts'

/** A place that has one process of the platform at a time. */
export type ProcessPlace = {
  name: string
  serves: boolean
  url: string
  kills(): number
  /** Kills the process by SIGKILL and starts the next process. Resolves when the old process is dead. */
  kill(): Promise<void>
  /**
   * Resolves when the process answers on /readyz. A worker serves no HTTP, so for a worker the promise resolves immediately.
   */
  ready(): Promise<void>
  /** Errors that the processes of this place logged. `busy` counts the requests that found no free database connection. */
  errors(): { unexpected: string[]; busy: number }
  close(): Promise<void>
}

const ERROR = /"level":"error".*/g
/**
 * If this error occurs, the client gets 503 and repeats the request. On a small machine, load causes this error without an
 * effect on the books.
 */
const BUSY = '"msg":"the database is unavailable"'

/** Makes a place and starts the first process of the place. */
export function startPlace(name: string, database_url: string, env: Record<string, string>): ProcessPlace {
  const serves = env.PROCESS !== 'worker'
  // All processes of a place share one folder, so the processes generate each secret once.
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

// The processes of the platform in a storm: each has a fixed place, dies at random moments, and is replaced by another.

import { type Child, serverEnv, startChild } from '../crash/processes.ts'

/** One place for a process of the platform. */
export type ProcessPlace = {
  name: string
  serves: boolean
  url: string
  kills(): number
  /** Kills the process like a power cut and starts the next one. Resolves when the old one is dead. */
  kill(): Promise<void>
  /** Resolves when the process answers; a worker is ready when it logs so. */
  ready(): Promise<void>
  /** Errors that its processes logged; `busy`: the times at which its database had no free connection. */
  errors(): { unexpected: string[]; busy: number }
  close(): Promise<void>
}

const ERROR = /"level":"error".*/g
/** The caller got 503 and retries. On a small machine the load causes it; the books are not affected. */
const BUSY = '"msg":"database unavailable"'

/** Makes a place and starts its first process. */
export function startPlace(name: string, database_url: string, env: Record<string, string>): ProcessPlace {
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

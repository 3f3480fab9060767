// Makes the environment of a storm: a database, merchants, the provider's twin with its books, a webhook receiver, and the
// processes of the platform. The test kills these processes, while the other parts run in the test process and continue.

import { issueAccessToken, issuerKey } from '../../src/access/identity/index.ts'
import { createUser } from '../../src/access/merchants/index.ts'
import { createDb, type Db, inTransaction } from '../../src/kernel/db/index.ts'
import { type Clock, settableClock, systemClock } from '../../src/kernel/lib/index.ts'
import { type Simulator, startSimulator } from '../../twins/selcom/index.ts'
import { type Hooks, openShop, type Shop, startHooks } from '../crash/rig.ts'
import { createTestDatabase } from '../database.ts'
import { freePort } from '../free-port.ts'
import { type TestDeps, testDeps } from '../harness.ts'
import { STORM_SETTINGS, stormRates } from './faults.ts'
import { type ProcessPlace, startPlace } from './process-places.ts'

/** All parts of a storm, which the test closes together. */
export type StormRig = {
  /** The URL of the database. */
  url: string
  db: Db
  simulator: Simulator
  /** Returns the number of actions that the twin has scheduled. */
  pending(): number
  hooks: Hooks
  shops: Shop[]
  seats: ProcessPlace[]
  /** The places whose processes serve HTTP. */
  apis: ProcessPlace[]
  /** Returns a session token of an operator that is valid at the moment. */
  session(): Promise<string>
  /** A signal that aborts when the rig closes, so that all waits end. */
  closed: AbortSignal
  close(): Promise<void>
}

/**
 * The time in milliseconds for which the rig uses one token. A token is valid for longer, but a storm can last longer than a
 * token.
 */
const SESSION_MS = 300_000
/** The twin's float in shillings. The float exceeds the sum of all payouts, so a payout fails only by the faults of the storm. */
const FLOAT = 100_000_000_000n

/** Builds the rig with `pairs` API processes and the same number of workers. The test must close the rig in `after`. */
export async function createStormRig(options: { seed: number; shops: number; pairs: number }): Promise<StormRig> {
  const database = await createTestDatabase()
  const { clock, pending } = countingClock()
  const faults = stormRates(options.seed)
  const simulator = await startSimulator({ clock, faults, settings: STORM_SETTINGS, float: FLOAT })
  const hooks = await startHooks()
  const deps = testDeps(database.url, { clock: settableClock(new Date()) })
  const shops: Shop[] = []
  for (let i = 0; i < options.shops; i++) shops.push(await openShop(deps, `Duka ${i + 1}`))
  const db = createDb({ url: database.url, max_connections: 3, application_name: 'storm-test', reporting: true })
  const session = await operatorOf(deps)
  const closing = new AbortController()
  const seats: ProcessPlace[] = []
  for (let i = 1; i <= options.pairs; i++) {
    const env = providerEnv(simulator, await freePort())
    seats.push(startPlace(`api ${i}`, database.url, { ...env, PROCESS: 'api' }))
    seats.push(startPlace(`worker ${i}`, database.url, { ...env, PROCESS: 'worker' }))
  }
  return {
    url: database.url,
    db,
    simulator,
    pending,
    hooks,
    shops,
    seats,
    apis: seats.filter(({ serves }) => serves),
    session,
    closed: closing.signal,
    async close() {
      closing.abort()
      for (const seat of seats) await seat.close()
      await Promise.all([simulator.close(), hooks.close(), db.close(), deps.close()])
      await database.drop()
    },
  }
}

/** Returns the settings of a process that uses the twin. The twin sends callbacks to `port`. */
export function providerEnv({ url, account }: Simulator, port: number): Record<string, string> {
  return {
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    PROVIDER: 'selcom',
    SELCOM_URL: url,
    SELCOM_API_KEY: account.api_key,
    SELCOM_API_SECRET: account.api_secret,
    SELCOM_VENDOR: account.vendor,
    SELCOM_FLOAT_VENDOR: account.float_vendor,
    SELCOM_PIN: account.pin,
    SELCOM_BUYER_EMAIL: 'payments@example.com',
    SELCOM_BUYER_PHONE: '255754123456',
    SELCOM_SENDER_ACCOUNT: '0150000000001',
    SELCOM_SENDER_NAME: 'Malipo',
    SELCOM_SENDER_PHONE: '255754123456',
    SELCOM_ORDER_UNKNOWN_CODES: '651',
    SELCOM_PAYOUT_ASK_AGAIN_S: '2',
  }
}

async function operatorOf(deps: TestDeps): Promise<() => Promise<string>> {
  const person = { email: 'operator@example.com', email_verified: true, name: 'Asha', language: 'sw' } as const
  const user = await inTransaction(deps.db, (tx) =>
    createUser(deps, tx, { ...person, identity: 'embedded', operator_role: 'SUPER_ADMIN' }),
  )
  const key = await issuerKey(deps, 'http://127.0.0.1/identity')
  const real = { ...deps, clock: systemClock }
  let token = { text: '', until: 0 }
  return async () => {
    if (Date.now() >= token.until) {
      token = { text: await issueAccessToken(real, key, user.id, ['pwd', 'otp']), until: Date.now() + SESSION_MS }
    }
    return token.text
  }
}

/** Returns the machine's clock with a count of its timers. If the twin has no timers, all actions of the twin have ended. */
function countingClock(): { clock: Clock; pending(): number } {
  const waiting = new Set<object>()
  const clock: Clock = {
    now: systemClock.now,
    after(ms, run) {
      const one = {}
      waiting.add(one)
      const cancel = systemClock.after(ms, () => {
        waiting.delete(one)
        run()
      })
      return () => {
        waiting.delete(one)
        cancel()
      }
    },
  }
  return { clock, pending: () => waiting.size }
}

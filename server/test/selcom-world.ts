import { settableClock } from '../src/kernel/lib/index.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../twins/selcom/index.ts'
import { freePort } from './free-port.ts'
import { createWorld, START, type World } from './harness.ts'

/** A server with the twin of its gateway. `base` is the address of the server. */
export type SelcomWorld = { world: World; twin: Simulator; base: string; close(): Promise<void> }

/** Starts the twin and the server. `env` overrides the Selcom settings of the server. */
export async function createSelcomWorld(
  options: Pick<NonNullable<Parameters<typeof createWorld>[0]>, 'env' | 'url' | 'before' | 'clock'> & {
    twin?: SimulatorOptions
  } = {},
): Promise<SelcomWorld> {
  const { env, twin: twin_options, clock = settableClock(START), ...rest } = options
  const twin = await startSimulator({ clock, ...twin_options })
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const { account } = twin
  const world = await createWorld({
    ...rest,
    clock,
    env: {
      BASE_URL: base,
      PROVIDER: 'selcom',
      SELCOM_URL: twin.url,
      SELCOM_API_KEY: account.api_key,
      SELCOM_API_SECRET: account.api_secret,
      SELCOM_VENDOR: account.vendor,
      SELCOM_FLOAT_VENDOR: account.float_vendor,
      SELCOM_PIN: account.pin,
      SELCOM_BUYER_EMAIL: 'payments@example.com',
      SELCOM_BUYER_PHONE: '255740000500',
      SELCOM_SENDER_ACCOUNT: 'M0001',
      SELCOM_SENDER_NAME: 'DUKA LTD',
      SELCOM_SENDER_PHONE: '255740000002',
      ...env,
    },
  })
  await world.system.app.listen({ host: '127.0.0.1', port })
  return {
    world,
    twin,
    base,
    async close() {
      await twin.close()
      world.system.app.server.closeAllConnections()
      await world.close()
    },
  }
}

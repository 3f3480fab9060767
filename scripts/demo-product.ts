// Starts the product with a new database and the demo history, for the programs that take pictures of it.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../server/test/find-browser.ts'
import { freePort } from '../server/test/free-port.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const START_MS = 120_000

/** The name of the merchant of the demo history, as the dashboard shows it. */
const HISTORY_NAME = 'Duka la Mfano: siku 30'

/** The running product with its demo history. */
export type DemoProduct = {
  url: string
  /** A folder for temporary files of the calling program. `close` removes the folder. */
  folder: string
  /** Signs in to a console as a demo user: as MERCHANT_ADMIN in the dashboard, as SUPER_ADMIN in the operators' console. */
  signIn(page: Page, console: 'dashboard' | 'operator'): Promise<void>
  close(): Promise<void>
}

const ROLES = { dashboard: 'MERCHANT_ADMIN', operator: 'SUPER_ADMIN' } as const

/** Starts the product on a free port, and makes the demo history. */
export async function startDemoProduct(): Promise<DemoProduct> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-pictures-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { ...process.env, DATA_DIR: join(folder, 'data'), PORT: String(port), LOG_LEVEL: 'error' }
  const run = ['scripts/run.mjs', 'server/src/main.ts']
  const server = spawn(process.execPath, run, { cwd: ROOT, env, stdio: 'ignore' })
  const close = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGTERM')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilReady(url)
    const demo = ['scripts/run.mjs', 'server/src/admin.ts', 'demo', '--history']
    const made = spawnSync(process.execPath, demo, { cwd: ROOT, env, encoding: 'utf8' })
    if (made.status !== 0) throw new Error(made.stderr)
  } catch (error) {
    await close()
    throw error
  }
  return {
    url,
    folder,
    async signIn(page, name) {
      const people = JSON.parse(readFileSync(join(env.DATA_DIR, 'demo-people.json'), 'utf8')) as {
        email: string
        password: string
        role: string
      }[]
      const person = people.find((one) => one.role === ROLES[name])
      if (person === undefined) throw new Error(`no demo user has the role ${ROLES[name]}`)
      await page.goto(`${url}/${name}`)
      await page.locator('input[name=email]').fill(person.email)
      await page.locator('input[name=password]').fill(person.password)
      await page.locator('form button').first().click()
      await page.locator('main h1').waitFor()
    },
    close,
  }
}

/** Starts the Chromium that the tests use. The calling program closes the browser. */
export async function launchPictureBrowser(): Promise<Browser> {
  const { path, env } = await findBrowser()
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--allow-file-access-from-files']
  return chromium.launch({ executablePath: path, args, env: { ...process.env, ...env } })
}

async function untilReady(url: string): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; ) {
    const answer = await fetch(`${url}/readyz`).catch(() => null)
    if (answer?.ok) return
    await new Promise((wake) => setTimeout(wake, 250))
  }
  throw new Error(`the server was not ready after ${START_MS / 1000} seconds`)
}

/** Chooses the merchant with the demo history in the menu of the dashboard. The option may also say that it needs attention. */
export async function chooseHistory(page: Page): Promise<void> {
  const business = page.getByRole('navigation').locator('select')
  const value = await business.locator('option', { hasText: HISTORY_NAME }).getAttribute('value')
  await business.selectOption({ value: value ?? '' })
}

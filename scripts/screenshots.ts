// `npm run screenshots` starts the product with a new database and the demo history, and takes the pictures of README.md in a browser:
// two screenshots, and an animation of 10 seconds. It needs ffmpeg (Debian), and writes docs/images/.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../server/test/find-browser.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const IMAGES = join(ROOT, 'docs/images')
const SIZE = { width: 1280, height: 800 }
const FRAMES_PER_SECOND = 2
const ANIMATION_BYTES_MAX = 600_000
const START_MS = 120_000
const HISTORY_NAME = 'Duka la Mfano: siku 30'

if (spawnSync('ffmpeg', ['-version']).error) {
  process.stderr.write('This program needs ffmpeg: apt-get install ffmpeg\n')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'malipo-pictures-'))
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const env = { ...process.env, DATA_DIR: join(folder, 'data'), PORT: String(port), LOG_LEVEL: 'error' }
const server = spawn(process.execPath, ['scripts/run.mjs', 'server/src/main.ts'], { cwd: ROOT, env, stdio: 'ignore' })
let frames = 0
try {
  await untilReady()
  const made = spawnSync(process.execPath, ['scripts/run.mjs', 'server/src/admin.ts', 'demo', '--history'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(made.stderr)
  await takePictures()
  animate()
} finally {
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening))
  const address = probe.address()
  await new Promise((closed) => probe.close(closed))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function untilReady(): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; ) {
    const answer = await fetch(`${url}/readyz`).catch(() => null)
    if (answer?.ok) return
    await new Promise((wake) => setTimeout(wake, 250))
  }
  throw new Error('the server did not start')
}

async function takePictures(): Promise<void> {
  const { path, env: browser_env } = await findBrowser()
  const args = ['--no-sandbox', '--disable-dev-shm-usage']
  const browser = await chromium.launch({ executablePath: path, args, env: { ...process.env, ...browser_env } })
  try {
    await picturesOfDashboard(await openConsole(browser, 'dashboard', 'MERCHANT_ADMIN'))
    await picturesOfOperators(await openConsole(browser, 'operator', 'SUPER_ADMIN'))
  } finally {
    await browser.close()
  }
}

/** Signs in to a console as the demo user with this role. */
async function openConsole(browser: Browser, name: string, role: string): Promise<Page> {
  const people = JSON.parse(readFileSync(join(env.DATA_DIR, 'demo-people.json'), 'utf8')) as {
    email: string
    password: string
    role: string
  }[]
  const person = people.find((one) => one.role === role)
  if (person === undefined) throw new Error(`no demo user has the role ${role}`)
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-GB', colorScheme: 'light' })
  const page = await context.newPage()
  await page.goto(`${url}/${name}`)
  await page.locator('input[name=email]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.locator('form button').first().click()
  await page.locator('main h1').waitFor()
  return page
}

async function picturesOfDashboard(page: Page): Promise<void> {
  await page.getByRole('navigation').locator('select').selectOption({ label: HISTORY_NAME })
  await page.goto(`${url}/dashboard/sandbox?period=30d`)
  const hide = page.getByRole('button', { name: 'Hide these steps' })
  await page.locator('.plot canvas').waitFor()
  if (await hide.isVisible()) await hide.click()
  await keep(page, 3)
  await page.locator('.plot').evaluate((plot) => plot.scrollIntoView({ block: 'end' }))
  await page.mouse.wheel(0, 90)
  await keep(page, 4, 'dashboard.png')
  await page.goto(`${url}/dashboard/sandbox/collections`)
  await page.locator('.list tbody a').first().waitFor()
  await keep(page, 3)
  await page.locator('.list tbody a').first().click()
  await page.locator('.timeline').waitFor()
  await keep(page, 4)
}

async function picturesOfOperators(page: Page): Promise<void> {
  await page.goto(`${url}/operator/?environment=sandbox`)
  await page.locator('.queue, .empty').first().waitFor()
  await keep(page, 3)
  await page.goto(`${url}/operator/withdrawals?environment=sandbox`)
  await page.locator('.list tbody a').first().click()
  await page.locator('.facts').first().waitFor()
  await keep(page, 3, 'operators.png')
}

/** Keeps the page as a frame of the animation for some half seconds, and as a picture of this name. */
async function keep(page: Page, half_seconds: number, name?: string): Promise<void> {
  await page.waitForTimeout(700)
  for (let i = 0; i < half_seconds; i++) {
    await page.screenshot({ path: join(folder, `${String(frames++).padStart(3, '0')}.png`) })
  }
  if (name !== undefined) await page.screenshot({ path: join(IMAGES, name) })
}

function animate(): void {
  const path = join(IMAGES, 'tour.webp')
  const input = ['-framerate', String(FRAMES_PER_SECOND), '-i', join(folder, '%03d.png')]
  const output = ['-vf', 'scale=960:-1:flags=lanczos', '-c:v', 'libwebp_anim', '-quality', '60', '-loop', '0', path]
  const made = spawnSync('ffmpeg', ['-y', '-loglevel', 'error', ...input, ...output], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
  const { size } = statSync(path)
  if (size > ANIMATION_BYTES_MAX) throw new Error(`the animation has ${size} bytes`)
  process.stdout.write(`docs/images/tour.webp: ${frames / FRAMES_PER_SECOND} seconds, ${size} bytes\n`)
}

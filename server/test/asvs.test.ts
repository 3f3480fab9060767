// Tests the table of docs/operate/asvs.md: its form, its summary and its files. Also tests small requirements of the table that
// no room tests.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { passwordProblem } from '../src/access/identity/credentials.ts'
import { createWorld, type World } from './harness.ts'

const ROOT = new URL('../../', import.meta.url)
const STATES = ['Tested', 'Documented', 'No test', 'Deployment', 'Not applicable', 'Exception', 'Not yet']

type TableRow = { id: string; level: string; state: string; evidence: string }

const page = readFileSync(new URL('docs/operate/asvs.md', ROOT), 'utf8')
const rows: TableRow[] = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| (\d) \| [^|]+ \| ([^:|]+): ([^|]+) \|$/gm)].map(
  ([, id = '', level = '', state = '', evidence = '']) => ({ id, level, state, evidence }),
)

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

test('each row of the ASVS table has a known state, and the rows are in the order of their numbers', () => {
  assert.equal(rows.length, page.match(/^\| \d+\.\d+\.\d+ /gm)?.length, 'each row has four columns')
  for (const { id, state } of rows) assert.ok(STATES.includes(state), `${id}: ${state}`)
  const order = ({ id }: TableRow) => id.split('.').reduce((sum, part) => sum * 100 + Number(part), 0)
  const numbers = rows.map(order)
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  )
  assert.deepEqual([...new Set(rows.map(({ id }) => id.split('.')[0]))].length, 17)
})

test('each tested row of the ASVS table names only test files that exist', () => {
  for (const { id, state, evidence } of rows) {
    if (state !== 'Tested') continue
    const files = [...evidence.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
    assert.equal(files.map((path) => `\`${path}\``).join(', '), evidence, id)
    for (const path of files) {
      assert.match(path, /\.test\.ts$/, id)
      assert.ok(existsSync(new URL(path, ROOT)), `${id} names ${path}, which does not exist`)
    }
  }
})

test('the summary of the ASVS table counts its rows', () => {
  for (const level of ['1', '2']) {
    const counts = STATES.map((state) => rows.filter((row) => row.level === level && row.state === state).length)
    assert.ok(page.includes(`| ${level} | ${counts.join(' | ')} |`), `level ${level}: ${counts.join(' | ')}`)
  }
})

test('the server serves no file of source control or of settings, and refuses TRACE', async () => {
  for (const path of ['/.git/HEAD', '/.git/config', '/.env', '/package.json', '/web/package.json', '/db/schema.md']) {
    assert.equal((await world.call({ method: 'GET', url: path, key: null })).status, 404, path)
  }
  // Below a console, each address without a file gets the page of the console.
  const below = await world.call({
    method: 'GET',
    url: '/dashboard/.git/HEAD',
    key: null,
    headers: { host: '127.0.0.1:8080' },
  })
  assert.equal(below.status, 200)
  assert.match(below.text, /^<!doctype html>\n<html lang="\w+" data-console="dashboard">/)
  const { statusCode } = await world.system.app.inject({ method: 'TRACE' as 'GET', url: '/v1/collections' })
  assert.equal(statusCode, 405)
})

test('the check of new passwords accepts 128 characters, spaces, emoji and Chinese characters', async () => {
  const person = { email: 'asha@example.com', name: 'Asha Mushi' }
  for (const password of [
    'mchele wa jana usiku',
    'neno la siri '.repeat(5).slice(0, 64),
    'ab'.repeat(64),
    '😀é漢字 ñandú',
  ]) {
    assert.equal(await passwordProblem(password, person), null, password)
  }
})

test('the password field of the sign-up page hides its input', async () => {
  const { text } = await world.call({ method: 'GET', url: '/identity/sign-up', key: null })
  const [field = ''] = /<input id="password"[^>]*>/.exec(text) ?? []
  assert.match(field, / type="password" autocomplete="new-password"/)
})

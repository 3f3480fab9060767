// Tests the output of the log with a slow reader and with a closed pipe: the program never waits.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOutput } from './log-output.ts'

const LINES = 3_000
/** A program that logs more lines than fit into a pipe, and reports the duration of these calls in milliseconds. */
const PROGRAM = `
import { createLog } from '${new URL('./log.ts', import.meta.url).href}'
const log = createLog('info')
const began = performance.now()
for (let i = 0; i < ${LINES}; i++) log.info({ component: 'process', count: i }, 'x'.repeat(400))
process.send({ ms: performance.now() - began })
process.on('message', () => process.exit(0))`

test('while the reader of the log reads nothing, the program does not wait, and the reader gets every line later', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [{ ms }] = (await once(child, 'message')) as [{ ms: number }]
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  child.send('end')
  await once(child, 'close')
  const counts = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).count)
  assert.deepEqual(counts, [...Array(LINES).keys()])
  assert.ok(ms < 3_000, `the program waited ${ms} ms for the reader`)
})

test('above its limit, the output loses new lines, and reports the number of lost lines when the reader reads again', async () => {
  let full = true
  let written = ''
  const lost: number[] = []
  const output = createOutput({
    write: (bytes) => {
      if (full) throw Object.assign(new Error('the pipe is full'), { code: 'EAGAIN' })
      const some = bytes.subarray(0, 5)
      written += some.toString()
      return some.length
    },
    waiting_bytes_max: 20,
    on_lost: (lines) => lost.push(lines),
  })
  for (let i = 0; i < 8; i++) output.write(`line${i}\n`)
  assert.equal(written, '')
  full = false
  while (lost.length === 0) await sleep(5)
  assert.equal(written, 'line0\nline1\nline2\n')
  assert.deepEqual(lost, [5])
  output.write('line8\n')
  output.end()
  assert.equal(written, 'line0\nline1\nline2\nline8\n')
})

test('the output drops lines and does not wait when the reader has closed the pipe', () => {
  const output = createOutput({
    write: () => {
      throw Object.assign(new Error('no reader'), { code: 'EPIPE' })
    },
    waiting_bytes_max: 100,
    on_lost: () => assert.fail('nothing waits'),
  })
  output.write('line\n')
  output.end()
})

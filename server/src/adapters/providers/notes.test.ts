import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createLog } from '../../kernel/lib/index.ts'
import { createProblemLog } from './notes.ts'

it('the problem log writes one line a minute for each kind of problem', () => {
  const lines: string[] = []
  let now = 0
  const note = createProblemLog({
    name: 'gateway',
    clock: { now: () => new Date(now), after: () => () => {} },
    log: createLog('debug', { write: (line) => void lines.push(line) }),
  })
  note('float', { provider_code: '990' })
  note('float', { provider_code: '990' })
  note('pin', { provider_code: '651' })
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).provider_code),
    ['990', '651'],
  )
  assert.equal(JSON.parse(lines[0] as string).provider, 'gateway')
  now = 60_000
  note('float', { provider_code: '990' })
  assert.equal(lines.length, 3)
})

// Runs the checks that are too slow for `npm run check`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SLOW_STEPS } from './check-steps.ts'

for (const { name, run, to_do } of SLOW_STEPS)
  test(`the check of ${name} finds nothing`, async () => {
    const found = (await run()).trim()
    assert.equal(found, '', `${found}\n\nTo do: ${to_do}`)
  })

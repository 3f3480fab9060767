// `npm run check` runs the quick checks beside each other. The slower checks are tests of `npm test`.

import { type CheckStep, QUICK_STEPS } from './check-steps.ts'

const results = await Promise.all(QUICK_STEPS.map(report))
const failed = results.filter((is_ok) => !is_ok).length
if (failed > 0) {
  process.stdout.write(`${failed} of ${QUICK_STEPS.length} checks failed.\n`)
  process.exitCode = 1
}

/** Runs a check and prints its result. Returns true if the check found nothing. */
async function report({ name, run, to_do }: CheckStep): Promise<boolean> {
  const begin = performance.now()
  const found = (await run()).trim()
  const took = `${((performance.now() - begin) / 1000).toFixed(1)} s`
  process.stdout.write(`${found === '' ? 'ok    ' : 'FAILED'}  ${name.padEnd(16)} ${took.padStart(7)}\n`)
  if (found !== '') process.stdout.write(`\n${found}\n\nTo do: ${to_do}\n\n`)
  return found === ''
}

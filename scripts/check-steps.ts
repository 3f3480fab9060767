// The checks that need neither the running product nor a database: the quick ones of `npm run check`, the others of `npm test`.

import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ROOT, staleFiles } from './generated.ts'
import { licenceProblems } from './licences.ts'
import { lockedPackages, readLock } from './locked-packages.ts'

/** A check. `run` returns the findings of the check; an empty text means that the check found nothing. */
export type CheckStep = { name: string; run: () => Promise<string>; to_do: string }

const FOLDER = fileURLToPath(ROOT)

/** Settings that stop Redocly from reporting its use and from printing notices about updates. */
const QUIET_TOOLS = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/** The checks of `npm run check`. */
export const QUICK_STEPS: readonly CheckStep[] = [
  {
    name: 'format and lint',
    run: () => program(bin('biome'), ['check', '--error-on-warnings', '--max-diagnostics=8', '.']),
    to_do: 'Run npm run format, which repairs most problems. Each remaining message describes the repair.',
  },
  { name: 'types', run: () => program(bin('tsc'), ['--noEmit']), to_do: 'Repair the lines named above.' },
  {
    name: 'types of pages',
    run: () => program(bin('tsc'), ['--noEmit', '-p', 'web']),
    to_do: 'Repair the lines named above.',
  },
  {
    name: 'architecture',
    run: () =>
      program('--test', [
        '--test-reporter=dot',
        ...['architecture', 'structure'].map((name) => `server/test/${name}.test.ts`),
      ]),
    to_do: 'Each message describes the repair. ARCHITECTURE.md gives the reasons.',
  },
]

/** The slower checks, each of which is a test of `npm test`. */
export const SLOW_STEPS: readonly CheckStep[] = [
  {
    name: 'OpenAPI',
    run: async () => `${await lintDocument('openapi.json')}\n${await lintDocument('openapi.merchant.json')}`,
    to_do: 'Repair the schemas that the findings name, and run npm run generate.',
  },
  {
    name: 'unused code',
    run: () => program(bin('knip'), ['--no-progress', '--no-config-hints']),
    to_do: 'Remove the unused code, or its export.',
  },
  {
    name: 'licences',
    run: async () => licenceProblems(lockedPackages(await readLock())).join('\n'),
    to_do: 'Follow the messages. docs/operate/supply-chain.md has the rules.',
  },
  {
    name: 'generated files',
    run: async () => (await staleFiles()).map((path) => `${path} is out of date`).join('\n'),
    to_do: 'Run npm run generate, and read the difference.',
  },
]

function bin(name: string): string {
  return realpathSync(new URL(`node_modules/.bin/${name}`, ROOT))
}

/** Checks an OpenAPI document with the recommended rules of Redocly. A warning is a finding too. */
async function lintDocument(path: string): Promise<string> {
  const { code, output } = await execute(bin('redocly'), ['lint', '--extends=recommended', '--format=json', path])
  const text = output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)
  const { problems } = JSON.parse(text || '{"problems": []}') as { problems: LintProblem[] }
  const found = problems.map(
    ({ ruleId, message, location }) => `${path}${location[0]?.pointer ?? ''} ${ruleId}: ${message}`,
  )
  return found.length > 0 || code === 0 ? found.join('\n') : output
}

type LintProblem = { ruleId: string; message: string; location: { pointer?: string }[] }

/** Runs a program with the Node of this process. If the program fails, returns its output, otherwise an empty text. */
async function program(file: string, args: readonly string[]): Promise<string> {
  const { code, output } = await execute(file, args)
  return code === 0 ? '' : output || `${file} exited with code ${code}`
}

function execute(file: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...QUIET_TOOLS }
    const child = spawn(process.execPath, [file, ...args], { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    }
    child.on('error', (error) => resolve({ code: null, output: error.message }))
    child.on('close', (code) => resolve({ code, output }))
  })
}

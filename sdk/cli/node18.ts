// Runs the tests of the command-line tool with Node 18, the oldest Node that the tool supports.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): void {
  const { status } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`)
}

const folder = mkdtempSync(join(tmpdir(), 'malipo-node18-'))
try {
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  const name = `node-linux-${process.arch}`
  run('npm', ['install', `${name}@18`, '--no-audit', '--no-fund', '--ignore-scripts'], folder)
  const node = join(folder, 'node_modules', name, 'bin/node')
  run(node, ['--version'], folder)
  const test = [join(ROOT, 'server/test/run.ts'), 'sdk/cli/tests/cli.test.ts']
  run(process.execPath, test, ROOT, { ...process.env, CLI_NODE: node })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

// Drives this SDK for the conformance suite: reads commands from standard input, one JSON object a line, and reports the
// results. The first argument is the module to test, or `require` for the package as CommonJS. sdk/conformance/README.md
// describes the protocol.

import { createRequire } from 'node:module'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { reportOf } from './conformance-perform.mjs'

const how = process.argv[2] ?? '@malipo/sdk'
const sdk = how === 'require' ? createRequire(import.meta.url)('@malipo/sdk') : await import(how)

for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...command } = JSON.parse(line)
  process.stdout.write(`${JSON.stringify({ id, ...(await reportOf(sdk, command)) })}\n`)
}

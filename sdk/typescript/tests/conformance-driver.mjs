// The driver of the conformance suite for this SDK: reads commands from standard input, one JSON object a line, and reports what
// the SDK did. The first argument is the module to test. sdk/conformance/README.md describes the protocol.

import process from 'node:process'
import { createInterface } from 'node:readline'
import { reportOf } from './conformance-perform.mjs'

const sdk = await import(process.argv[2] ?? '@malipo/sdk')

for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...command } = JSON.parse(line)
  process.stdout.write(`${JSON.stringify({ id, ...(await reportOf(sdk, command)) })}\n`)
}

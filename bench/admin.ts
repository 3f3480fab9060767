// Runs commands of `npm run admin` against the database of the server under test.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { handedOn } from './rpc.ts'
import type { Server } from './world.ts'

const ADMIN_MAX_MS = 600_000

/** The result of `admin verify`. `broken` has the names of the broken invariants. */
export type Verified = { ok: boolean; broken: string[] }

/** Runs `verify`, which checks every invariant of the ledger and of the states. */
export async function adminVerify(server: Server): Promise<Verified> {
  type Found = { ok: boolean; checks: { name: string; ok: boolean; detail: string }[] }
  try {
    const { ok, checks } = await admin<Found>(server, ['verify'])
    return { ok, broken: checks.filter((check) => !check.ok).map(({ name, detail }) => `${name}: ${detail}`) }
  } catch (error) {
    return { ok: false, broken: [`verify gave no answer: ${(error as Error).message}`] }
  }
}

/** Creates an operator and returns a session token. */
export function operatorToken(server: Server): Promise<string> {
  return newToken(server, 'operator@example.com', ['--role', 'SUPER_ADMIN'])
}

/** Adds a member with read access to a merchant, and returns a session token of the member. */
export function viewerToken(server: Server, merchant_id: string): Promise<string> {
  return newToken(server, 'viewer@example.com', ['--role', 'VIEWER', '--merchant', merchant_id])
}

async function newToken(server: Server, email: string, role: string[]): Promise<string> {
  await admin(server, ['user', 'create', '--email', email, ...role])
  const { access_token } = await admin<{ access_token: string }>(server, ['token', '--email', email])
  return access_token
}

/**
 * Runs one command and returns its parsed JSON. An exit with an error code does not throw. If the output is no JSON, throws an
 * error.
 */
async function admin<Answer>(server: Server, args: string[]): Promise<Answer> {
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const env = { PATH: process.env.PATH ?? '', ...handedOn(), ...server.env }
  const [stdout, stderr] = await new Promise<[string, string]>((resolve) => {
    const options = { cwd, env, timeout: ADMIN_MAX_MS, maxBuffer: 1e8 }
    const command = ['server/src/admin.ts', ...args, '--json']
    execFile(process.execPath, command, options, (_error, text, problems) => resolve([text, problems]))
  })
  try {
    return JSON.parse(stdout) as Answer
  } catch {
    throw new Error(`admin ${args.join(' ')}: ${stdout.slice(0, 500)} ${stderr.slice(0, 500)}`)
  }
}

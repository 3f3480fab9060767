/**
 * Tests that the duration of a refusal reveals nothing about existing keys. The test measures two kinds of guesses alternately
 * and compares medians, so that a busy machine does not change the result.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { createWorld, type World } from '../../../test/harness.ts'
import type { Random } from '../../kernel/lib/index.ts'
import { systemRandom } from '../../kernel/lib/index.ts'
import { createAuthenticate } from './authenticate.ts'
import { isWellFormedKey, newPlaintextKey } from './format.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARS = 32
/** The number of right random characters in a guess. */
const KNOWN_CHARS = 24
const WARM_UP = 200
const ROUNDS = 700
/** The allowed difference between two kinds of guesses, as a share. One more query would add 0.25 to 0.5. */
const TOLERANCE = 0.15
/**
 * The greatest number of measurements. A busy machine may affect one measurement but not three. A leak affects all of them.
 */
const MEASUREMENTS_MAX = 3

let world: World
let authenticate: (key: string) => Promise<string>
before(async () => {
  world = await createWorld()
  const check = createAuthenticate(world.deps, {
    used: () => assert.fail('a guessed key was accepted'),
    session: () => assert.fail('a guessed key was taken for a token'),
  })
  authenticate = async (key) => {
    const request = {
      headers: { authorization: `Bearer ${key}` },
      ip: '192.0.2.1',
      id: 'x',
    } as unknown as FastifyRequest
    try {
      await check(request)
      return 'accepted'
    } catch (error) {
      return (error as { code: string }).code
    }
  }
})
after(() => world.close())

/** Returns a well-formed key that does not exist, with `known` as the beginning of its random part. */
function guess(known: string): string {
  const chance = systemRandom()
  const chosen = [...known].map((char) => BASE62.indexOf(char))
  const random: Random = { bytes: (length) => Uint8Array.from([...chosen, ...chance.bytes(length - chosen.length)]) }
  return newPlaintextKey(world.deps.config, random, 'live')
}

const randomPart = (key: string) => key.slice(key.lastIndexOf('_') + 1).slice(0, RANDOM_CHARS)
const sharesNothing = () => guess('')
const sharesPrefix = () => guess(randomPart(world.live_key).slice(0, KNOWN_CHARS))
/** Changes the last character of a key, so that its checksum is wrong. */
const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

const median = (samples: number[]) => samples.sort((a, b) => a - b)[samples.length >> 1] as number

/** Returns the additional duration of the refusal of `b`, as a share of the duration for `a`. */
async function difference(
  refuse: (key: string) => Promise<string>,
  a: () => string,
  b: () => string,
  code: string,
): Promise<number> {
  const took: [number[], number[]] = [[], []]
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const keys = [a(), b()] as const
    // The second request of a pair uses warm caches, so the test alternates the order.
    for (const kind of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const begun = process.hrtime.bigint()
      const answer = await refuse(keys[kind])
      const ns = Number(process.hrtime.bigint() - begun)
      assert.equal(answer, code)
      if (round >= WARM_UP) took[kind].push(ns)
    }
  }
  const base = median(took[0])
  return (median(took[1]) - base) / base
}

/**
 * Returns the smallest absolute difference of several measurements, because a busy machine increases only some of them. Ends at
 * the first difference below TOLERANCE.
 */
async function smallestDifference(...of: Parameters<typeof difference>): Promise<number> {
  let smallest = Number.POSITIVE_INFINITY
  for (let i = 0; i < MEASUREMENTS_MAX && smallest >= TOLERANCE; i++) {
    smallest = Math.min(smallest, Math.abs(await difference(...of)))
  }
  return smallest
}

test('the server refuses a guess with most of a real key in about the same time as an unrelated guess', async () => {
  const close = sharesPrefix()
  assert.ok(isWellFormedKey(close) && close !== world.live_key)
  assert.equal(close.slice(0, -14), world.live_key.slice(0, -14))
  const found = await smallestDifference(authenticate, sharesNothing, sharesPrefix, 'invalid_api_key')
  assert.ok(found < TOLERANCE, `refusals differ by ${Math.round(found * 100)} %`)
})

test('the server refuses mistyped keys in about the same time, with or without the beginning of a real key', async () => {
  const found = await smallestDifference(
    authenticate,
    () => mistyped(sharesNothing()),
    () => mistyped(sharesPrefix()),
    'invalid_api_key',
  )
  assert.ok(found < TOLERANCE, `refusals differ by ${Math.round(found * 100)} %`)
})

test('the measurement detects a check that takes longer for guesses with the prefix of a real key', async () => {
  const visible = world.live_key.slice(0, world.live_key.lastIndexOf('_') + 5)
  const leaky = async (key: string) => {
    if (key.startsWith(visible)) await world.deps.db.ping()
    return authenticate(key)
  }
  const found = await smallestDifference(leaky, sharesNothing, sharesPrefix, 'invalid_api_key')
  assert.ok(found >= TOLERANCE, `a leak of ${Math.round(found * 100)} % was not found`)
})

// Tests that the pages name the network of a phone as the server does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NETWORKS, networkOfPhone } from '../../../web/ui/network.ts'
import { NETWORK_OF_PREFIX } from '../../src/kernel/lib/phone.ts'

test('the pages and the server guess the same network for each prefix', () => {
  const pages = Object.fromEntries(
    Object.entries(NETWORKS).flatMap(([code, { prefixes }]) => prefixes.map((prefix) => [String(prefix), code])),
  )
  assert.deepEqual(pages, { ...NETWORK_OF_PREFIX })
  assert.deepEqual([networkOfPhone('255754123456'), networkOfPhone('255600000000')], ['M-Pesa', null])
})

// Tests that each IP address or network has one canonical form, and that the parser refuses invalid texts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAddress, canonicalNetwork, shownNetwork } from './ip-network.ts'

test('canonicalNetwork returns one canonical form for all spellings of an address or network', () => {
  for (const [text, network] of [
    ['203.0.113.7', '203.0.113.7/32'],
    [' 203.0.113.7/32 ', '203.0.113.7/32'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['196.192.0.0/16', '196.192.0.0/16'],
    ['203.0.113.128/25', '203.0.113.128/25'],
    ['10.1.2.3', '10.1.2.3/32'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::FFFF:cb00:7107', '203.0.113.7/32'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1/128'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:db8:abcd::/48', '2001:db8:abcd::/48'],
  ] as const) {
    assert.deepEqual(canonicalNetwork(text), { network }, text)
  }
})

test('canonicalNetwork refuses an invalid address, a network that is too wide and a network with host bits, and names the right form', () => {
  for (const [text, problem] of [
    ['', /must be an IPv4 or IPv6/],
    ['example.com', /must be an IPv4 or IPv6/],
    ['203.0.113', /must be/],
    ['203.0.113.256', /must be/],
    ['0313.0.0161.7', /must be/],
    ['0xcb.0.113.7', /must be/],
    ['3405803783', /must be/],
    ['203.0.113.07', /must be/],
    ['203.0.113.7/33', /must be/],
    ['203.0.113.7/-1', /must be/],
    ['203.0.113.7/', /must be/],
    ['203.0.113.0/255.255.255.0', /must be/],
    ['203.0.113.7:443', /must be/],
    ['[2001:db8::1]', /must be/],
    ['fe80::1%eth0', /must be/],
    ['2001:db8::/129', /must be/],
    ['1.2.3.4, 5.6.7.8', /must be/],
    ['0.0.0.0/0', /too wide: the widest network is \/16/],
    ['::/0', /too wide: the widest network is \/32/],
    ['::ffff:0.0.0.0/96', /too wide/],
    ['203.0.0.0/15', /too wide/],
    ['2001::/31', /too wide/],
    ['0.0.0.0', /not an address from which a server/],
    ['::', /not an address from which a server/],
    ['224.0.0.1', /not an address from which a server/],
    ['255.255.255.255', /not an address from which a server/],
    ['203.0.113.7/24', /send 203\.0\.113\.0\/24 or 203\.0\.113\.7$/],
    ['2001:db8::1/64', /send 2001:db8::\/64 or 2001:db8::1$/],
    ['::ffff:203.0.113.7/120', /send 203\.0\.113\.0\/24 or 203\.0\.113\.7$/],
  ] as const) {
    const read = canonicalNetwork(text)
    assert.ok('problem' in read, text)
    assert.match(read.problem, problem, text)
  }
})

test('canonicalAddress returns the plain form of a client address, and null for an invalid address', () => {
  for (const [text, address] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', null],
    ['', null],
    ['203.0.113.0/24', null],
    ['203.0.113.7/32', null],
    ['203.0.113.7:443', null],
    ["'; drop table", null],
  ] as const) {
    assert.equal(canonicalAddress(text), address, text)
  }
})

test('shownNetwork returns a single address without a prefix, and a network with its prefix', () => {
  for (const [network, shown] of [
    ['203.0.113.7/32', '203.0.113.7'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8::/32'],
  ] as const) {
    assert.equal(shownNetwork(network), shown)
  }
})

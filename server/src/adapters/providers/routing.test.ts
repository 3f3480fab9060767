// Which provider serves what: the most exact route, then the method's, then the default; and nothing that cannot be served.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newScript, scriptedProvider } from '../../../test/payouts.ts'
import { ConfigError, DESTINATIONS, Refusal } from '../../kernel/lib/index.ts'
import type { Provider } from './port.ts'
import { createRouting, type Wanted } from './routing.ts'

function named(name: string, capabilities: Partial<Provider['capabilities']> = {}): Provider {
  const provider = scriptedProvider(newScript(), name)
  return { ...provider, capabilities: { ...provider.capabilities, ...capabilities } }
}

const everything = named('everything')
const mpesa = named('mpesa', { methods: ['wallet_push'], payout_methods: ['MOBILE_MONEY'], destinations: ['MPESA'] })
const banks = named('banks', { methods: [], payout_methods: ['BANK_ACCOUNT'], destinations: ['NMB', 'CRDB'] })
const codes = named('codes', { methods: ['qr'], payout_methods: [] })
const sandbox = named('sandbox')

function routing(default_name: string, routes: Record<string, string> = {}) {
  return createRouting({
    providers: new Map([everything, mpesa, banks, codes].map((provider) => [provider.name, provider])),
    default_name,
    routes: new Map(Object.entries(routes)),
    sandbox,
  })
}

const to = (destination_code: string, method: 'MOBILE_MONEY' | 'BANK_ACCOUNT' | 'PROVIDER_PESA' = 'MOBILE_MONEY') => ({
  method,
  destination_code,
})

describe('who serves it', () => {
  const routes = {
    wallet_push: 'mpesa',
    qr: 'codes',
    MOBILE_MONEY: 'everything',
    'MOBILE_MONEY/MPESA': 'mpesa',
    BANK_ACCOUNT: 'banks',
    'BANK_ACCOUNT/CITI': 'everything',
  }
  for (const [wanted, name, why] of [
    [{ method: 'wallet_push' }, 'mpesa', 'the route of its method'],
    [{ method: 'qr' }, 'codes', 'the route of its method'],
    [{ method: 'provider_pesa' }, 'everything', 'the default'],
    [to('MPESA'), 'mpesa', 'the route of its destination, before that of its method'],
    [to('AIRTEL'), 'everything', 'the route of its method'],
    [to('NMB', 'BANK_ACCOUNT'), 'banks', 'the route of its method'],
    [to('CITI', 'BANK_ACCOUNT'), 'everything', 'the route of its destination'],
    [to('PROVIDER_PESA', 'PROVIDER_PESA'), 'everything', 'the default'],
    // A route is what the operator decided: what it cannot do is not tried elsewhere.
    [to('ABSA', 'BANK_ACCOUNT'), null, 'nobody: its route does not reach it'],
  ] as [Wanted, string | null, string][]) {
    test(`${Object.values(wanted).join('/')}: ${why}`, () => {
      assert.equal(routing('everything', routes).find('live', wanted)?.name ?? null, name)
      assert.equal(routing('everything', routes).find('sandbox', wanted)?.name, 'sandbox')
    })
  }

  test('what the default cannot do is served by nobody, and refused by its name', () => {
    const { find, providerFor } = routing('mpesa')
    for (const [wanted, what] of [
      [{ method: 'qr' }, 'qr'],
      [to('AIRTEL'), 'MOBILE_MONEY to AIRTEL'],
      [to('NMB', 'BANK_ACCOUNT'), 'BANK_ACCOUNT to NMB'],
    ] as [Wanted, string][]) {
      assert.equal(find('live', wanted), null)
      const refused = (error: unknown) =>
        error instanceof Refusal && error.code === 'provider_unavailable' && error.message.includes(what)
      assert.throws(() => providerFor('live', wanted), refused, what)
    }
    assert.equal(providerFor('live', { method: 'wallet_push' }).name, 'mpesa')
    assert.equal(providerFor('live', to('MPESA')).name, 'mpesa')
  })

  test('those that serve live payments are named once each, the default first', () => {
    const names = routing('everything', routes).live.map(({ name }) => name)
    assert.deepEqual(names, ['everything', 'mpesa', 'codes', 'banks'])
    assert.deepEqual(
      routing('banks').live.map(({ name }) => name),
      ['banks'],
    )
  })
})

describe('what a route strands', () => {
  const stranded = (default_name: string, routes: Record<string, string>) => routing(default_name, routes).stranded
  const everywhere = DESTINATIONS.map(({ method, code }) => `${method}/${code}`)

  test('is named, with who could do it', () => {
    const named_ones = stranded('everything', { MOBILE_MONEY: 'mpesa', 'MOBILE_MONEY/AIRTEL': 'everything' })
    const of_networks = everywhere.filter((route) => route.startsWith('MOBILE_MONEY/'))
    assert.deepEqual(
      named_ones.map(({ route }) => route),
      of_networks.filter((route) => !['MOBILE_MONEY/MPESA', 'MOBILE_MONEY/AIRTEL'].includes(route)),
    )
    for (const { could } of named_ones) assert.deepEqual(could, ['everything'])
  })

  test('is nothing when every route does what the default does, or more', () => {
    assert.deepEqual(stranded('everything', {}), [])
    assert.deepEqual(stranded('everything', { wallet_push: 'mpesa', 'MOBILE_MONEY/MPESA': 'mpesa', qr: 'codes' }), [])
    // What nobody can do is nobody's route's fault.
    assert.deepEqual(stranded('mpesa', {}), [])
    assert.deepEqual(stranded('mpesa', { qr: 'codes' }), [])
  })
})

describe('what cannot be', () => {
  for (const [default_name, routes, message] of [
    ['nobody', {}, 'PROVIDER nobody has no adapter'],
    ['everything', { qr: 'nobody' }, 'PROVIDER_ROUTES qr: nobody has no adapter'],
    ['everything', { cash: 'mpesa' }, 'PROVIDER_ROUTES: cash is no method'],
    ['everything', { qr: 'mpesa' }, 'PROVIDER_ROUTES qr: mpesa cannot do that'],
    ['everything', { BANK_ACCOUNT: 'mpesa' }, 'PROVIDER_ROUTES BANK_ACCOUNT: mpesa cannot do that'],
    ['everything', { 'MOBILE_MONEY/AIRTEL': 'mpesa' }, 'PROVIDER_ROUTES MOBILE_MONEY/AIRTEL: mpesa cannot do that'],
  ] as [string, Record<string, string>, string][]) {
    test(`is refused at the start: ${message}`, () => {
      assert.throws(() => routing(default_name, routes), new ConfigError(message))
    })
  }
})

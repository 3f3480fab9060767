// Tests that the platform chooses the provider of the most exact route, then of the route of the method, then the default
// provider.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newPayoutScript, scriptedProvider } from '../../../test/payouts.ts'
import { ConfigError, DESTINATIONS, Refusal } from '../../kernel/lib/index.ts'
import type { Provider } from './port.ts'
import { createRouting, type RouteQuery } from './routing.ts'

function named(name: string, capabilities: Partial<Provider['capabilities']> = {}): Provider {
  const provider = scriptedProvider(newPayoutScript(), name)
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

describe('the choice of a provider', () => {
  const routes = {
    wallet_push: 'mpesa',
    qr: 'codes',
    MOBILE_MONEY: 'everything',
    'MOBILE_MONEY/MPESA': 'mpesa',
    BANK_ACCOUNT: 'banks',
    'BANK_ACCOUNT/CITI': 'everything',
  }
  for (const [query, name, why] of [
    [{ method: 'wallet_push' }, 'mpesa', 'the provider of the route of its method'],
    [{ method: 'qr' }, 'codes', 'the provider of the route of its method'],
    [{ method: 'provider_pesa' }, 'everything', 'the default provider'],
    [to('MPESA'), 'mpesa', 'the provider of the route of its destination, before the route of its method'],
    [to('AIRTEL'), 'everything', 'the provider of the route of its method'],
    [to('NMB', 'BANK_ACCOUNT'), 'banks', 'the provider of the route of its method'],
    [to('CITI', 'BANK_ACCOUNT'), 'everything', 'the provider of the route of its destination'],
    [to('PROVIDER_PESA', 'PROVIDER_PESA'), 'everything', 'the default provider'],
    // If the provider of a route cannot serve a payment or payout, the platform tries no other provider, because the
    // operator chose the route.
    [
      to('ABSA', 'BANK_ACCOUNT'),
      null,
      'no provider, because the provider of its route does not reach this destination',
    ],
  ] as [RouteQuery, string | null, string][]) {
    test(`the platform sends ${Object.values(query).join('/')} over ${why}`, () => {
      assert.equal(routing('everything', routes).find('live', query)?.name ?? null, name)
      assert.equal(routing('everything', routes).find('sandbox', query)?.name, 'sandbox')
    })
  }

  test('the platform refuses a method that the default provider cannot serve, and names the method', () => {
    const { find, providerFor } = routing('mpesa')
    for (const [query, what] of [
      [{ method: 'qr' }, 'qr'],
      [to('AIRTEL'), 'MOBILE_MONEY to AIRTEL'],
      [to('NMB', 'BANK_ACCOUNT'), 'BANK_ACCOUNT to NMB'],
    ] as [RouteQuery, string][]) {
      assert.equal(find('live', query), null)
      const refused = (error: unknown) =>
        error instanceof Refusal && error.code === 'provider_unavailable' && error.message.includes(what)
      assert.throws(() => providerFor('live', query), refused, what)
    }
    assert.equal(providerFor('live', { method: 'wallet_push' }).name, 'mpesa')
    assert.equal(providerFor('live', to('MPESA')).name, 'mpesa')
  })

  test('the routing lists each provider of live payments once, with the default first', () => {
    const names = routing('everything', routes).live.map(({ name }) => name)
    assert.deepEqual(names, ['everything', 'mpesa', 'codes', 'banks'])
    assert.deepEqual(
      routing('banks').live.map(({ name }) => name),
      ['banks'],
    )
  })
})

describe('unreachable routes', () => {
  const unreachable_routes = (default_name: string, routes: Record<string, string>) =>
    routing(default_name, routes).unreachable_routes
  const everywhere = DESTINATIONS.map(({ method, code }) => `${method}/${code}`)

  test('the routing lists an unreachable route together with the providers that could serve the route', () => {
    const unreachable = unreachable_routes('everything', { MOBILE_MONEY: 'mpesa', 'MOBILE_MONEY/AIRTEL': 'everything' })
    const of_networks = everywhere.filter((route) => route.startsWith('MOBILE_MONEY/'))
    assert.deepEqual(
      unreachable.map(({ route }) => route),
      of_networks.filter((route) => !['MOBILE_MONEY/MPESA', 'MOBILE_MONEY/AIRTEL'].includes(route)),
    )
    for (const { could } of unreachable) assert.deepEqual(could, ['everything'])
  })

  test('the routing lists no unreachable route when the routes serve all that the default provider serves', () => {
    assert.deepEqual(unreachable_routes('everything', {}), [])
    assert.deepEqual(
      unreachable_routes('everything', { wallet_push: 'mpesa', 'MOBILE_MONEY/MPESA': 'mpesa', qr: 'codes' }),
      [],
    )
    // If no provider can serve a route, the routing does not list the route.
    assert.deepEqual(unreachable_routes('mpesa', {}), [])
    assert.deepEqual(unreachable_routes('mpesa', { qr: 'codes' }), [])
  })
})

describe('invalid routes', () => {
  for (const [default_name, routes, message] of [
    ['absent', {}, 'PROVIDER absent has no adapter; set the name of a provider that exists'],
    [
      'everything',
      { qr: 'absent' },
      'PROVIDER_ROUTES qr: absent has no adapter; set the name of a provider that exists',
    ],
    [
      'everything',
      { cash: 'mpesa' },
      'PROVIDER_ROUTES: cash is no method; use one of wallet_push, provider_pesa, qr, MOBILE_MONEY, BANK_ACCOUNT, PROVIDER_PESA',
    ],
    ['everything', { qr: 'mpesa' }, 'PROVIDER_ROUTES qr: mpesa cannot serve this route; set another provider'],
    [
      'everything',
      { BANK_ACCOUNT: 'mpesa' },
      'PROVIDER_ROUTES BANK_ACCOUNT: mpesa cannot serve this route; set another provider',
    ],
    [
      'everything',
      { 'MOBILE_MONEY/AIRTEL': 'mpesa' },
      'PROVIDER_ROUTES MOBILE_MONEY/AIRTEL: mpesa cannot serve this route; set another provider',
    ],
  ] as [string, Record<string, string>, string][]) {
    test(`the process refuses an invalid route at its start: ${message}`, () => {
      assert.throws(() => routing(default_name, routes), new ConfigError(message))
    })
  }
})

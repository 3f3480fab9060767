// The choice of a provider: the most exact route, then the method's route, then the default.

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

describe('the chosen provider', () => {
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
    // The operator decides a route: if its provider cannot serve it, no other provider is tried.
    [to('ABSA', 'BANK_ACCOUNT'), null, 'no provider: the provider of the route does not reach it'],
  ] as [RouteQuery, string | null, string][]) {
    test(`${Object.values(wanted).join('/')}: ${why}`, () => {
      assert.equal(routing('everything', routes).find('live', wanted)?.name ?? null, name)
      assert.equal(routing('everything', routes).find('sandbox', wanted)?.name, 'sandbox')
    })
  }

  test('a method that the default provider cannot serve is refused with its name', () => {
    const { find, providerFor } = routing('mpesa')
    for (const [wanted, what] of [
      [{ method: 'qr' }, 'qr'],
      [to('AIRTEL'), 'MOBILE_MONEY to AIRTEL'],
      [to('NMB', 'BANK_ACCOUNT'), 'BANK_ACCOUNT to NMB'],
    ] as [RouteQuery, string][]) {
      assert.equal(find('live', wanted), null)
      const refused = (error: unknown) =>
        error instanceof Refusal && error.code === 'provider_unavailable' && error.message.includes(what)
      assert.throws(() => providerFor('live', wanted), refused, what)
    }
    assert.equal(providerFor('live', { method: 'wallet_push' }).name, 'mpesa')
    assert.equal(providerFor('live', to('MPESA')).name, 'mpesa')
  })

  test('the providers of live payments are listed once each, the default first', () => {
    const names = routing('everything', routes).live.map(({ name }) => name)
    assert.deepEqual(names, ['everything', 'mpesa', 'codes', 'banks'])
    assert.deepEqual(
      routing('banks').live.map(({ name }) => name),
      ['banks'],
    )
  })
})

describe('an unreachable route', () => {
  const unreachable_routes = (default_name: string, routes: Record<string, string>) =>
    routing(default_name, routes).unreachable_routes
  const everywhere = DESTINATIONS.map(({ method, code }) => `${method}/${code}`)

  test('is listed with the providers that could serve it', () => {
    const named_ones = unreachable_routes('everything', { MOBILE_MONEY: 'mpesa', 'MOBILE_MONEY/AIRTEL': 'everything' })
    const of_networks = everywhere.filter((route) => route.startsWith('MOBILE_MONEY/'))
    assert.deepEqual(
      named_ones.map(({ route }) => route),
      of_networks.filter((route) => !['MOBILE_MONEY/MPESA', 'MOBILE_MONEY/AIRTEL'].includes(route)),
    )
    for (const { could } of named_ones) assert.deepEqual(could, ['everything'])
  })

  test('does not exist when every route serves all that the default provider serves', () => {
    assert.deepEqual(unreachable_routes('everything', {}), [])
    assert.deepEqual(
      unreachable_routes('everything', { wallet_push: 'mpesa', 'MOBILE_MONEY/MPESA': 'mpesa', qr: 'codes' }),
      [],
    )
    // If no provider can serve a route, it is not listed.
    assert.deepEqual(unreachable_routes('mpesa', {}), [])
    assert.deepEqual(unreachable_routes('mpesa', { qr: 'codes' }), [])
  })
})

describe('an invalid route', () => {
  for (const [default_name, routes, message] of [
    ['absent', {}, 'PROVIDER absent has no adapter'],
    ['everything', { qr: 'absent' }, 'PROVIDER_ROUTES qr: absent has no adapter'],
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

// Defines the endpoints that find records by id, reference, phone number, amount or name.

import Type from 'typebox'
import { merchantByRoutingCode } from '../../access/merchants/index.ts'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import {
  type App,
  caller,
  ENVIRONMENTS,
  MERCHANT_ROLES,
  mayOperate,
  principalOf,
  type Routes,
  success,
} from '../../kernel/http/index.ts'
import { line, oneOf, refuseField } from '../../kernel/lib/index.ts'
import { HIT_KINDS, type HitKind, SearchHit } from './hit.ts'
import { findLines, findMerchantsBy, findPeople, MERCHANTS_MAX, searchMerchants } from './of-all.ts'
import { searchMerchant } from './of-merchant.ts'
import { NEWEST_PAYMENTS, NEWEST_RECORDS, NEWEST_REFERENCES, type RecordKind } from './statements.ts'
import { HITS_MAX, parseSearch, type SearchTerms } from './terms.ts'

const TEXT_MIN = 2

const Text = line(
  100,
  `At least ${TEXT_MIN} characters, or the number of an invoice. An id or its first 8 characters, a TXN- reference, or the beginning of your reference. A phone number or its last four digits, an amount, or the beginnings of words of a name.`,
)
const Answer = success(
  Type.Object({
    groups: Type.Array(
      Type.Object({
        kind: oneOf(HIT_KINDS),
        items: Type.Array(SearchHit, { description: `At most ${HITS_MAX}, newest first.` }),
        more: Type.Boolean({ description: 'True if the search found more hits of this kind.' }),
      }),
      { description: 'Only kinds with hits.' },
    ),
  }),
)

const BOUNDS = `The server searches all records for ids, references, phones, the last digits of a payer's phone, and invoice numbers. For amounts, names and the descriptions of payment links, it searches the newest ${NEWEST_PAYMENTS} payments and the newest ${NEWEST_RECORDS} records of each other kind. In a search of one merchant, a number also finds whole references of payments and withdrawals that end with it, such as ORDER-29502. For this, the server tries the most frequent beginnings of the newest ${NEWEST_REFERENCES} references.`

type Group = { kind: HitKind; items: SearchHit[]; more: boolean }

/**
 * Adds the searches of merchants and of operators. `providers` lists the providers whose statements the server stores.
 */
export function searchRoutes(deps: Deps, { providers }: { providers: readonly string[] }): Routes {
  return (app) => {
    merchantSearchRoute(deps, app)
    operatorSearchRoute(deps, app, providers)
  }
}

/** Parses the text of a search. If the text is too short and no number of an invoice, refuses the field `q`. */
function termsOf(text: string): SearchTerms {
  const terms = parseSearch(text)
  if (terms.text.length < TEXT_MIN && !terms.invoice_number)
    refuseField('q', `must have at least ${TEXT_MIN} characters`)
  return terms
}

const MERCHANT_KINDS = ['payment', 'withdrawal', 'payment_link', 'invoice', 'transaction'] as const
const isOnlyTransaction = ({ transactions }: SearchTerms) => transactions !== null

/** Returns the hits in groups by kind, without the kinds that have no hit. */
function groupsOf(kinds: readonly HitKind[], hits: readonly SearchHit[][]): Group[] {
  const groups = kinds.map((kind, i) => {
    const found = hits[i] ?? []
    return { kind, items: found.slice(0, HITS_MAX), more: found.length > HITS_MAX }
  })
  return groups.filter(({ items }) => items.length > 0)
}

function merchantSearchRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/search',
    {
      config: { access: { roles: MERCHANT_ROLES } },
      schema: {
        tags: ['Overview'],
        operationId: 'listSearchHits',
        summary: 'Find records of the merchant by id, reference, phone, amount, name or description',
        description: BOUNDS,
        querystring: Type.Object({
          q: Text,
          merchant_id: Type.Optional(line(64)),
          environment: Type.Optional(oneOf(ENVIRONMENTS, 'live, the default, or sandbox.')),
        }),
        response: { 200: Answer },
      },
    },
    async (request) => {
      const { merchant, environment, role } = caller(request)
      const terms = termsOf(request.query.q)
      const develops = role === 'MERCHANT_ADMIN' || role === 'DEVELOPER'
      const all: RecordKind[] = terms.ids !== null && develops ? [...MERCHANT_KINDS, 'delivery'] : [...MERCHANT_KINDS]
      const kinds = isOnlyTransaction(terms) ? (['transaction'] as const) : all
      const hits = await searchMerchant(forReads(deps), { merchant_id: merchant.id, environment }, terms, kinds)
      return { success: true as const, data: { groups: groupsOf(kinds, hits) } }
    },
  )
}

function operatorSearchRoute(deps: Deps, app: App, providers: readonly string[]): void {
  const merchantOf = merchantByRoutingCode(deps)
  app.get(
    '/v1/operator/search',
    {
      config: { access: 'operator:read' },
      schema: {
        tags: ['Operator'],
        operationId: 'listOperatorSearchHits',
        summary: 'Find records of all merchants by id, reference, phone, amount, name or e-mail address',
        description: `${BOUNDS} Without a whole id or reference, the server searches the ${MERCHANTS_MAX} merchants that registered last, which share these numbers. Name a merchant to search all its records. Only operators who may see operators find operators.`,
        querystring: Type.Object({
          q: Text,
          merchant_id: Type.Optional(
            Type.String({ format: 'uuid', description: 'The merchant. Default: all merchants.' }),
          ),
          environment: Type.Optional(oneOf(ENVIRONMENTS, 'live or sandbox. Both if left out.')),
        }),
        response: { 200: Answer },
      },
    },
    async (request) => {
      const { q, merchant_id = null, environment = null } = request.query
      const terms = termsOf(q)
      const routed = terms.routing_code === null ? null : await merchantOf(terms.routing_code)
      const kinds = isOnlyTransaction(terms) ? (['transaction'] as const) : ([...MERCHANT_KINDS, 'delivery'] as const)
      const principal = principalOf(request)
      const role = principal.kind === 'session' ? principal.operator_role : null
      const [records, merchants, people, lines] = await Promise.all([
        searchMerchants(forReads(deps), { merchant_id: merchant_id ?? routed, environment }, terms, kinds),
        findMerchantsBy(forReads(deps), terms),
        findPeople(forReads(deps), terms, role !== null && mayOperate(role, 'platform')),
        findLines(forReads(deps), terms, providers),
      ])
      const all: HitKind[] = [...kinds, 'merchant', 'person', 'statement_line']
      return { success: true as const, data: { groups: groupsOf(all, [...records, merchants, people, lines]) } }
    },
  )
}

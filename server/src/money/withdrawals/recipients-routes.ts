// Serves the saved recipients of a merchant to the members that may request withdrawals. API keys have no access.

import Type from 'typebox'
import { lookupAccountName, type NameLookupOptions, sameName } from '../../adapters/providers/name-lookup.ts'
import { PAYOUT_METHODS } from '../../adapters/providers/port.ts'
import { actOf } from '../../books/audit/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import {
  type App,
  answerOnce,
  caller,
  EmptyBody,
  findAnswer,
  type LockMerchantOfCaller,
  type Routes,
  readClaim,
  replay,
  success,
} from '../../kernel/http/index.ts'
import { findDestination, line, nullable, oneOf, visibleLine } from '../../kernel/lib/index.ts'
import type { FindProvider } from './check.ts'
import {
  countNameCheck,
  getRecipient,
  listRecipients,
  NAME_CHECKS,
  type PaidDestination,
  removeRecipient,
  renameRecipient,
  type SavedRecipient,
  saveRecipient,
  storeNameCheck,
} from './recipients.ts'

/**
 * The functions by which the routes choose a provider and look up a name, and by which they lock the merchant and check the
 * caller again.
 */
export type RecipientsOptions = NameLookupOptions & { find: FindProvider; lockMerchant: LockMerchantOfCaller }

const tags = ['Withdrawals']
const access = { roles: ['MERCHANT_ADMIN', 'FINANCE'] } as const
const write = { access, idempotency: 'honoured' } as const
const Timestamp = Type.String({ format: 'date-time' })

const paid_destination = {
  method: oneOf(PAYOUT_METHODS),
  destination_code: Type.String(),
  destination: Type.String({ description: 'The name of the network, wallet or bank.' }),
  destination_identifier: Type.String({ description: 'The phone 255XXXXXXXXX or the account number.' }),
  paid_count: Type.Integer({
    description: 'Successful payouts to the recipient: up to 100 if it is saved, otherwise those among the newest 200.',
  }),
  last_paid_at: nullable(Timestamp),
}
const RecipientRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    label: Type.String({ description: 'The name by which members find the recipient.' }),
    ...paid_destination,
    destination_name: Type.String(),
    name_check: nullable(
      oneOf(
        NAME_CHECKS,
        'Whether the provider has the same name for the account. `unknown` never means that there is no account. Null means no stored result.',
      ),
    ),
    name_checked_at: nullable(Timestamp),
    created_by: Type.String(),
    created_at: Timestamp,
  },
  { title: 'SavedRecipient' },
)
const EarlierRecord = Type.Object(
  { ...paid_destination, destination_name: nullable(Type.String()) },
  { title: 'EarlierRecipient' },
)
const RecipientList = Type.Object(
  {
    items: Type.Array(RecipientRecord),
    earlier: Type.Array(EarlierRecord, {
      description: 'Recipients that the merchant paid lately and did not save, latest first.',
    }),
  },
  { title: 'SavedRecipients' },
)
const LABEL = 'The name by which members find the recipient. The default is destination_name.'
const RecipientBody = Type.Object(
  {
    label: Type.Optional(visibleLine(100, LABEL)),
    method: oneOf(PAYOUT_METHODS),
    destination_code: Type.Optional(line(40, 'Required unless the method is PROVIDER_PESA: see GET /v1/destinations.')),
    destination_identifier: line(64, 'The phone or account number.'),
    destination_name: visibleLine(200, 'The name with which the account is registered.'),
  },
  { title: 'SavedRecipientRequest' },
)
const RenameBody = Type.Object({ label: visibleLine(100) }, { title: 'SavedRecipientChange' })
const params = Type.Object({ recipient_id: Type.String() })

/** Makes the routes by which members list, save, check, rename and remove saved recipients. */
export function recipientRoutes(deps: Deps, options: RecipientsOptions): Routes {
  return (app) => {
    recipientListRoutes(deps, app, options)
    recipientChangeRoutes(deps, app, options)
    recipientCheckRoute(deps, app, options)
  }
}

const response = { 200: success(RecipientRecord) }

function recipientListRoutes(deps: Deps, app: App, { lockMerchant }: RecipientsOptions): void {
  app.get(
    '/v1/merchant/recipients',
    {
      config: { access },
      schema: {
        tags,
        operationId: 'listRecipients',
        summary: 'List the saved recipients, and recipients that were paid lately',
        response: { 200: success(RecipientList) },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const { items, earlier } = await listRecipients(deps.db, { merchant_id: merchant.id, environment })
      const data = { items: items.map(presentRecipient), earlier: earlier.map(presentPaid) }
      return { success: true as const, data }
    },
  )
  app.post(
    '/v1/merchant/recipients',
    {
      config: { ...write, refusals: ['invalid_state'] },
      schema: {
        tags,
        operationId: 'createRecipient',
        summary: 'Save a recipient for later withdrawals',
        description: 'Each withdrawal to a saved recipient passes the same checks as any other withdrawal.',
        body: RecipientBody,
        response: { 201: success(RecipientRecord) },
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const input = { ...request.body, merchant_id: merchant.id, environment }
      return answerOnce(deps, request, reply, 201, async (tx) => {
        await lockMerchant(tx, request)
        return presentRecipient(await saveRecipient(deps, tx, actOf(request), input))
      })
    },
  )
}

function recipientChangeRoutes(deps: Deps, app: App, { lockMerchant }: RecipientsOptions): void {
  app.patch(
    '/v1/merchant/recipients/:recipient_id',
    {
      config: write,
      schema: {
        tags,
        operationId: 'updateRecipient',
        summary: 'Change the label of a saved recipient',
        params,
        body: RenameBody,
        response,
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const { label } = request.body
      const input = { merchant_id: merchant.id, environment, id: request.params.recipient_id, label }
      return answerOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
        return presentRecipient(await renameRecipient(deps, tx, actOf(request), input))
      })
    },
  )
  app.delete(
    '/v1/merchant/recipients/:recipient_id',
    {
      config: write,
      schema: { tags, operationId: 'deleteRecipient', summary: 'Remove a saved recipient', params, response },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const input = { merchant_id: merchant.id, environment, id: request.params.recipient_id }
      return answerOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
        return presentRecipient(await removeRecipient(deps, tx, actOf(request), input))
      })
    },
  )
}

function recipientCheckRoute(deps: Deps, app: App, options: RecipientsOptions): void {
  app.post(
    '/v1/merchant/recipients/:recipient_id/name-check',
    {
      config: { ...write, refusals: ['rate_limited'] },
      schema: {
        tags,
        operationId: 'checkRecipientName',
        summary: 'Ask the provider whether the account has the name of the recipient',
        description: 'The answer says only whether the names agree. A business can ask 30 times a day.',
        params,
        body: EmptyBody,
        response,
      },
    },
    async (request, reply) => {
      const claim = readClaim(request)
      const known = claim && (await findAnswer(deps, deps.db, claim))
      if (known) return replay(reply, known)
      const { merchant, environment } = caller(request)
      const owner = { merchant_id: merchant.id, environment }
      const recipient = await getRecipient(deps.db, owner, request.params.recipient_id)
      // The server counts the check before it queries the provider, so that a member who disconnects early cannot avoid the
      // count.
      await inTransaction(deps.db, (tx) => countNameCheck(deps, tx, merchant.id))
      const provider = options.find(environment, recipient)?.name ?? null
      const { name } = await lookupAccountName(deps, options, provider, recipient)
      const result = name === null ? 'unknown' : sameName(name, recipient.destination_name) ? 'same' : 'different'
      return answerOnce(deps, request, reply, 200, async (tx) => {
        await options.lockMerchant(tx, request)
        return presentRecipient(await storeNameCheck(deps, tx, actOf(request), { ...owner, id: recipient.id, result }))
      })
    },
  )
}

function presentPaid<Row extends PaidDestination>({ method, destination_code, destination_identifier, ...row }: Row) {
  return {
    method,
    destination_code,
    destination: findDestination(destination_code)?.name ?? destination_code,
    destination_identifier,
    destination_name: row.destination_name as Row['destination_name'],
    paid_count: row.paid_count,
    last_paid_at: row.last_paid_at?.toISOString() ?? null,
  }
}

function presentRecipient(row: SavedRecipient) {
  const { id, label, name_check, name_checked_at, created_by, created_at } = row
  return {
    id,
    label,
    ...presentPaid(row),
    name_check,
    name_checked_at: name_checked_at?.toISOString() ?? null,
    created_by,
    created_at: created_at.toISOString(),
  }
}

// Shows operators the charges of a new price list beside those of the current list. The functions that charge merchants also
// compute the preview.

import Type, { type Static } from 'typebox'
import {
  chargesOf,
  chooseRule,
  FLOW_METHODS,
  FLOWS,
  type Flow,
  getMerchant,
  MerchantParams,
  PricingBody,
  type Rule,
  readRules,
  rulesInForce,
} from '../../access/merchants/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type Routes, success } from '../../kernel/http/index.ts'
import {
  AMOUNT_HELP,
  AmountField,
  findDestination,
  formatAmount,
  nullable,
  oneOf,
  parseAmount,
  refuseField,
} from '../../kernel/lib/index.ts'

const AMOUNTS_MAX = 10
const SAMPLES = ['1000', '10000', '100000', '1000000']

const Body = Type.Object({
  rules: PricingBody.properties.rules,
  amounts: Type.Optional(
    Type.Array(AmountField, {
      minItems: 1,
      maxItems: AMOUNTS_MAX,
      description: `The amounts of the preview. The default is ${SAMPLES.join(', ')}.`,
    }),
  ),
})

const Charged = Type.Object(
  {
    percentage_fee: Type.String(),
    flat_fee: Type.String(),
    processor_charge: Type.String(),
    processor_fee_pass_through: Type.Boolean(),
    total_charges: Type.String(),
    total_reserved_amount: nullable(
      Type.String({ description: 'The amount that leaves the balance. Null means a collection.' }),
    ),
    net_amount: nullable(Type.String({ description: 'The amount that the ledger credits. Null means a withdrawal.' })),
    refused: Type.Boolean({
      description: 'True means that the server refuses the payment, because the fee takes the whole amount.',
    }),
    label: Type.String({ description: 'The label of the line that applies.' }),
  },
  { title: 'PreviewedCharges' },
)
const MaybeCharged = (description: string) => Type.Union([Charged, Type.Null()], { description })

const PreviewAnswer = success(
  Type.Object({
    rows: Type.Array(
      Type.Object({
        flow: oneOf(FLOWS),
        method: Type.String(),
        destination_code: nullable(
          Type.String({ description: 'Null means every destination without a separate line.' }),
        ),
        amount: Type.String(),
        now: MaybeCharged(
          'The fees of the list in force. Null means that no line applies. A payment is then free, and the server refuses a live withdrawal.',
        ),
        // biome-ignore lint/suspicious/noThenProperty: the answer has a field `then`, whose value is not a function
        then: MaybeCharged('The fees of the list in the request.'),
      }),
    ),
  }),
)
type PreviewRow = Static<typeof PreviewAnswer>['data']['rows'][number]
type PricedMethod = { flow: Flow; method: string; destination_code: string | null }

/**
 * Returns the charges of each method under the current list (`now`) and the new list (`then`), for each amount in cents.
 */
export function previewRows(now: readonly Rule[], then: readonly Rule[], amounts: readonly bigint[]): PreviewRow[] {
  const payments = FLOWS.flatMap((flow) =>
    FLOW_METHODS[flow].flatMap((method): PricedMethod[] => [
      { flow, method, destination_code: null },
      ...codesOf([...now, ...then], flow, method).map((destination_code) => ({ flow, method, destination_code })),
    ]),
  )
  return payments.flatMap((payment) =>
    amounts.map((amount_minor) => ({
      ...payment,
      amount: formatAmount(amount_minor),
      now: charge(now, payment, amount_minor),
      // biome-ignore lint/suspicious/noThenProperty: the answer has a field `then`, whose value is not a function
      then: charge(then, payment, amount_minor),
    })),
  )
}

/** Returns the codes of a method's destinations for which the list has a separate price rule. */
function codesOf(rules: readonly Rule[], flow: Flow, method: string): string[] {
  const codes = rules.filter((rule) => rule.flow === flow).map(({ destination_code }) => destination_code)
  const named = codes.filter((code) => code !== null && findDestination(code)?.method === method)
  return [...new Set(named as string[])].sort()
}

function charge(rules: readonly Rule[], payment: PricedMethod, amount_minor: bigint): PreviewRow['now'] {
  const rule = chooseRule(rules, payment)
  if (rule === null) return null
  const charges = chargesOf(rule, amount_minor)
  const { total_charges_minor } = charges
  const out = payment.flow === 'withdrawal'
  const refused = !out && total_charges_minor >= amount_minor
  return {
    percentage_fee: formatAmount(charges.percentage_fee_minor),
    flat_fee: formatAmount(charges.flat_fee_minor),
    processor_charge: formatAmount(charges.processor_charge_minor),
    processor_fee_pass_through: charges.processor_fee_pass_through,
    total_charges: formatAmount(total_charges_minor),
    total_reserved_amount: out ? formatAmount(amount_minor + total_charges_minor) : null,
    net_amount: out || refused ? null : formatAmount(amount_minor - total_charges_minor),
    refused,
    label: rule.label,
  }
}

function readAmounts(amounts: readonly (string | number)[] = SAMPLES): bigint[] {
  return amounts.map((amount, i) => {
    const minor = parseAmount(String(amount))
    if (typeof minor === 'bigint') return minor
    return refuseField(`amounts.${i}`, minor === 'too_large' ? 'is too large' : AMOUNT_HELP[minor])
  })
}

/** Adds the route that shows the charges of a new price list, without storing the list. */
export function pricingPreviewRoutes(deps: Deps): Routes {
  return (app) => {
    app.post(
      '/v1/operator/merchants/:merchant_id/pricing/preview',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'previewMerchantPricing',
          summary: 'Show the fees of a new price list and of the list in force',
          description:
            'Changes nothing. The server makes the same checks as for a list that comes into force. The answer has a row for each method, each destination with a separate line, and each amount.',
          params: MerchantParams,
          body: Body,
          response: { 200: PreviewAnswer },
        },
      },
      async (request) => {
        const then = readRules(request.body.rules)
        const amounts = readAmounts(request.body.amounts)
        const { id } = await getMerchant(deps.db, request.params.merchant_id)
        return { success: true as const, data: { rows: previewRows(await rulesInForce(deps.db, id), then, amounts) } }
      },
    )
  }
}

// Defines the endpoints with which operators edit the instructions that payers see for each network.

import Type from 'typebox'
import { actOf, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, answerOnce, success } from '../../kernel/http/index.ts'
import { nullable, refuseField, visibleLine, visibleText } from '../../kernel/lib/index.ts'
import { BUILT_IN_HELP, listNetworkHelp, lockNetworkHelp, replaceNetworkHelp } from '../../money/payment-links/index.ts'

const Network = Type.Object(
  {
    code: Type.String({
      pattern: '^[A-Z0-9_]{2,30}$',
      description: 'The code of the network, which is unique in the list.',
      examples: ['MPESA'],
    }),
    name: visibleLine(40, 'The name that payers know.'),
    menu_code: nullable(
      Type.String({
        pattern: '^[*#0-9]{2,20}$',
        description: 'The code that opens the menu of the network.',
        examples: ['*150*00#'],
      }),
    ),
    help_sw: visibleText(500, 'The instructions in Swahili for a payer who gets no prompt.'),
    help_en: visibleText(500, 'The same in English.'),
  },
  { title: 'NetworkInstructions' },
)
const Networks = Type.Object({ networks: Type.Array(Network) })

/** Adds the routes that show and replace the instructions for payers of each network. */
export function networkRoutes(deps: Deps): (app: App) => void {
  return (app) => {
    app.get(
      '/v1/operator/networks',
      {
        schema: {
          tags: ['Operator'],
          operationId: 'getNetworkInstructions',
          summary: 'Show the instructions for payers of each network',
          response: { 200: success(Networks) },
        },
        config: { access: 'operator:read' },
      },
      async () => ({ success: true as const, data: { networks: [...(await listNetworkHelp(deps.db))] } }),
    )
    app.put(
      '/v1/operator/networks',
      {
        schema: {
          tags: ['Operator'],
          operationId: 'replaceNetworkInstructions',
          summary: 'Replace the instructions for payers of each network',
          description:
            'Replaces the whole list. An empty list restores the built-in list. Pages show the new list within a minute.',
          body: Type.Object({ networks: Type.Array(Network, { maxItems: 30 }) }),
          response: { 200: success(Networks) },
        },
        config: { access: 'operator:platform', idempotency: 'honoured' },
      },
      async (request, reply) =>
        answerOnce(deps, request, reply, 200, async (tx) => {
          const { networks } = request.body
          const codes = networks.map(({ code }) => code)
          const twice = codes.find((code, i) => codes.indexOf(code) !== i)
          if (twice !== undefined) refuseField('networks', `names ${twice} twice`)
          await lockNetworkHelp(tx)
          const before = await listNetworkHelp(tx)
          await replaceNetworkHelp(deps, tx, networks)
          await recordAudit(deps, tx, {
            ...actOf(request),
            merchant_id: PLATFORM,
            action: 'networks.replace',
            target_type: 'networks',
            target_id: 'all',
            before: { networks: before },
            after: { networks },
          })
          return { networks: networks.length > 0 ? networks : [...BUILT_IN_HELP] }
        }),
    )
  }
}

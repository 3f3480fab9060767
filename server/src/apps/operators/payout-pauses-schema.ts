// Defines the requests and responses for pauses of payouts.

import Type, { type Static } from 'typebox'
import { PageQuery, page, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf, visibleLine } from '../../kernel/lib/index.ts'
import { PAUSE_SCOPES } from '../../money/withdrawals/index.ts'

const Scope = oneOf(
  PAUSE_SCOPES,
  'The payouts that wait. platform: all payouts. merchant, provider, destination: the payouts of the target.',
)
const Timestamp = Type.String({ format: 'date-time' })

/** The body of POST /v1/operator/payout-pauses. */
export const StartPauseBody = Type.Object(
  {
    scope: Scope,
    target: Type.Optional(
      line(
        64,
        'The id of the merchant, the name of the provider, or the code of the network or bank (see GET /v1/destinations). Leave this field out for platform.',
      ),
    ),
    reason: visibleLine(500, 'The reason. The audit log and the history of each waiting withdrawal keep this text.'),
  },
  { title: 'PayoutPauseRequest' },
)
export type StartPauseBody = Static<typeof StartPauseBody>

/** The body of POST /v1/operator/payout-pauses/{pause_id}/end. */
export const EndPauseBody = Type.Object({
  reason: visibleLine(500, 'The reason for the end. The audit log keeps this text.'),
})

const record = {
  id: Type.String({ format: 'uuid' }),
  scope: Scope,
  target: nullable(
    Type.String({ description: 'The merchant, provider or destination. Null means that the scope is platform.' }),
  ),
  target_name: nullable(
    Type.String({ description: 'The name of the merchant or destination. Null means that the target has no name.' }),
  ),
  reason: Type.String(),
  started_by: Type.String({ description: 'The operator who started the pause.' }),
  started_at: Timestamp,
  ended_by: nullable(
    Type.String({ description: 'The operator who ended the pause. Null means that the pause is in force.' }),
  ),
  ended_reason: nullable(Type.String({ description: 'Null means that the pause is in force.' })),
  ended_at: nullable(Type.String({ format: 'date-time', description: 'Null means that the pause is in force.' })),
}

/** A pause of payouts: its scope and target, and the operators who started and ended the pause. */
const PauseRecord = Type.Object(record, { title: 'PayoutPause' })
/** A pause of payouts, as the API returns it. */
export type PauseRecord = Static<typeof PauseRecord>

/** The response to POST /v1/operator/payout-pauses. */
export const StartedPauseAnswer = success(
  Type.Object({
    ...record,
    sending: Type.Integer({
      description:
        'Payouts in the scope that a process had begun to send before the pause, and whose answer is not known. The provider may have paid them, or may still pay them. Payouts that no process had begun to send wait.',
    }),
  }),
)
/** The response to the request that ends a pause: the ended pause. */
export const PauseAnswer = success(PauseRecord)
/** The response with a page of pauses. The pauses in force come first. */
export const PausesAnswer = success(page(PauseRecord))
/** The query of GET /v1/operator/payout-pauses. */
export const PausesQuery = Type.Object({
  ...PageQuery,
  state: Type.Optional(oneOf(['active', 'ended'], 'active: in force. ended: no longer in force.')),
})
/** The parameters of a path that contains the id of a pause. */
export const PauseParams = Type.Object({ pause_id: Type.String({ description: 'The id of the pause.' }) })

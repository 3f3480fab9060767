// Names the records whose name differs from the OpenAPI document, or that the document does not name.

import type * as Api from './api-types.ts'

/**
 * A payout with its history. An operator must approve it. Only the status `SUCCESS` means that the receiver got the money.
 */
export type Disbursement = Api.GetDisbursementAnswer
/** A network or bank that can receive payouts. */
export type Destination = Api.ListDestinationsAnswer['items'][number]
/** The API key of the client, with its merchant, environment and scopes. */
export type Identity = Extract<Api.GetMeAnswer, { key_id: string }>

// The names of records that differ from those of the OpenAPI document, or that it does not name.

import type * as Api from './api-types.ts'

/** A payout with its history. An operator must approve it. Only the status `SUCCESS` means paid out. */
export type Disbursement = Api.GetDisbursementAnswer
/** A network or bank that can receive payouts. */
export type Destination = Api.ListDestinationsAnswer['items'][number]
/** The API key of the client, and its merchant. */
export type Identity = Extract<Api.GetMeAnswer, { key_id: string }>

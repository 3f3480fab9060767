// Verifies the gateway's callbacks by a secret in their registered URL, because the gateway signs no callback. A callback
// only names a payment or payout, and the platform queries its outcome.

import { sameSecret } from '../../../kernel/lib/index.ts'
import { CALLBACK_PATH, type CallbackVerdict } from '../port.ts'

const BODY_MAX_BYTES = 16 * 1024
const UNVERIFIED: CallbackVerdict = { verified: false }
/** The names of the fields that can have the platform's reference in a callback. */
const REFERENCE_NAMES = ['input_ThirdPartyConversationID', 'input_ThirdPartyReference']
const OTHERS_MAX = 128

/**
 * Verifies the secret in a callback's URL and reads the reference of the callback. If the settings have no secret, refuses
 * every callback.
 */
export function verifyCallback(
  secret: string | null,
  headers: Record<string, string | undefined>,
  body: Buffer,
): CallbackVerdict {
  const path = headers[CALLBACK_PATH] ?? ''
  const end = path.slice(Math.max(0, path.lastIndexOf('&'), path.lastIndexOf('#')))
  const given = /[?&]secret=([\s\S]*)/.exec(end)?.[1]
  if (secret === null || given === undefined || !sameSecret(given, secret)) return UNVERIFIED
  const reference = REFERENCE_NAMES.map((name) => readFields(body)?.[name]).find((value) => value !== undefined)
  if (typeof reference !== 'string' || reference === '') return UNVERIFIED
  return { verified: true, reference }
}

/** Makes the answer that the gateway expects to a callback. If the body is no JSON object or too long, returns null. */
export function callbackReply(body: Buffer): Record<string, string> | null {
  const fields = readFields(body)
  if (fields === null) return null
  const echo = (name: string) => String(fields[name] ?? '').slice(0, OTHERS_MAX)
  const name = REFERENCE_NAMES.find((known) => known in fields) ?? REFERENCE_NAMES[0] ?? ''
  return {
    output_OriginalConversationID: echo('input_OriginalConversationID'),
    output_ResponseCode: '0',
    output_ResponseDesc: 'Successfully Accepted Result',
    [name.replace('input_', 'output_')]: echo(name),
  }
}

function readFields(body: Buffer): Record<string, unknown> | null {
  if (body.length > BODY_MAX_BYTES) return null
  try {
    const content: unknown = JSON.parse(body.toString('utf8'))
    if (typeof content !== 'object' || content === null || Array.isArray(content)) return null
    return content as Record<string, unknown>
  } catch {
    return null
  }
}

// The gateway's callbacks are not signed. What lets one in is a secret in the address that it is posted to, which the
// operator registers; what it says is not believed: it names a payment or payout, and that is asked about.

import { sameSecret } from '../../../kernel/lib/index.ts'
import { CALLBACK_PATH, type CallbackVerdict } from '../port.ts'

const BODY_MAX_BYTES = 16 * 1024
const UNVERIFIED: CallbackVerdict = { verified: false }
/** Names under which a callback carries the id that we chose. */
const REFERENCE_NAMES = ['input_ThirdPartyConversationID', 'input_ThirdPartyReference']
const OTHERS_MAX = 128

/** Checks a callback: the secret at the end of its address, and a body that names what it is about. No secret: none is let in. */
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

/** What the gateway wants to be answered. Null when the body is none of its callbacks. */
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

// Makes the answers of the gateway: an HTTP status, a code and the description of the code.

/** An answer of the gateway: HTTP status and JSON fields. */
export type TwinReply = { http: number; content: Record<string, string> }

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'INS-0': 'Request processed successfully',
  'INS-1': 'Internal Error',
  'INS-6': 'Transaction Failed',
  'INS-9': 'Request timeout',
  'INS-10': 'Duplicate Transaction',
  'INS-23': 'Transaction Not Found',
  'INS-989': 'Session Creation Failed',
  'INS-2006': 'Insufficient balance',
}

/** Makes an answer with a code and its description. `more` has further fields. */
export function replyWith(http: number, code: string, more: Record<string, string> = {}): TwinReply {
  const output_ResponseDesc = DESCRIPTIONS[code] ?? 'Not processed'
  return { http, content: { output_ResponseCode: code, output_ResponseDesc, ...more } }
}

// Executes one command of the conformance suite. This file uses only the SDK, so that it runs in every runtime.

/** Executes a command. Returns its report: the result, the error, or the name of a call that the SDK does not have. */
export async function reportOf(sdk, command) {
  try {
    return { ok: await perform(sdk, command) }
  } catch (error) {
    return error?.unsupported ? { unsupported: error.message } : { error: factsOf(sdk, error) }
  }
}

/** Executes a command and returns its result. If the SDK does not have the call, throws an error with `unsupported`. */
async function perform(sdk, command) {
  if (command.do === 'verify') {
    const { body, headers, secret, now, tolerance_s, allow_body_signature, brand } = command
    return sdk.verifyWebhook({
      body,
      headers,
      secret,
      now: new Date(now * 1000),
      tolerance: tolerance_s,
      allowBodySignature: allow_body_signature,
      brand,
    })
  }
  const { client, call, args } = command
  const malipo = new sdk.Malipo({
    baseUrl: client.base_url,
    apiKey: client.api_key,
    environment: client.environment,
    timeout: client.timeout_s === undefined ? undefined : client.timeout_s * 1000,
    maxRetries: client.max_retries,
    language: client.language,
  })
  const [resource, method] = call.split('.')
  const known = malipo[resource]?.[method]
  if (known === undefined) throw Object.assign(new Error(call), { unsupported: true })
  const { id, input, filters, limit, idempotency_key } = args
  const given = [id, input, filters].filter((one) => one !== undefined)
  // The options come last, after filters, which may be missing.
  const has_options = idempotency_key !== undefined
  const result = known(...given, ...(has_options ? [{ idempotencyKey: idempotency_key }] : []))
  if (result[Symbol.asyncIterator] !== undefined) return collect(result, limit ?? Number.POSITIVE_INFINITY)
  const data = await result
  return data instanceof Response ? data.text() : data
}

async function collect(list, limit) {
  const items = []
  for await (const item of list) {
    items.push(item)
    if (items.length >= limit) break
  }
  return items
}

/** Returns the facts of an error under the names of the conformance suite. */
function factsOf(sdk, error) {
  const { message } = error
  if (error instanceof sdk.WebhookSignatureError) return { kind: 'webhook', code: error.code, message }
  if (error instanceof sdk.MalipoError) {
    return {
      kind: error instanceof sdk.NoAnswerError ? 'no_answer' : 'api',
      class: error.name,
      code: error.code,
      status: error.status,
      message,
      details: error.details,
      request_id: error.requestId,
      idempotency_key: error.idempotencyKey,
      outcome_unknown: error.outcomeUnknown,
      is_retryable: error.isRetryable,
      retry_after_s: error.retryAfter,
    }
  }
  return { kind: error instanceof TypeError ? 'usage' : `${error?.name}: ${error?.stack}`, message }
}

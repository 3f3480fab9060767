// Redacts secrets in texts: API keys and tokens by their form, PINs and passwords by the name of their field.

const REDACTED = '[redacted]'
/** The words that mark the name of a secret field. */
const SECRET_WORDS = new Set(
  'pin mpin otp cvv cvc password passwd passcode secret authorization credential credentials'.split(' '),
)
/** The names of secret fields, without separators. Other tokens and keys, such as the token of an order, are not secret. */
const SECRET_NAMES = new Set(
  'token accesstoken refreshtoken idtoken sessiontoken apikey apisecret plaintextkey sessionid sessionkey privatekey'.split(
    ' ',
  ),
)
/** The endings of secret field names that have no separators. */
const SECRET_ENDING = /(?:password|passwd|passcode|secret|pincode|userpin|customerpin|walletpin)$/
/** A fast test. If a text does not match, the text names no secret field. */
const MAY_NAME_SECRET = /pin|otp|cv[vc]|pass(?:w|c)|secret|auth|credential|token|key|session/i
// server/test/regular-expressions.test.ts checks that each expression of this file reads 64 KB of a hostile text in less than 5
// ms.
/** Text with the form of an API key or a signing secret, at any place of a text. */
const SECRET_TEXT =
  /(?<![A-Za-z0-9])(?:[a-z][a-z0-9]*_(?:live|sandbox|test)_[0-9A-Za-z]{20,}|whsec_[A-Za-z0-9+/=]{20,})/g
/** A session token, even inside a longer word. To stay fast, the expression skips words without two dots. */
const SESSION_TOKEN = /(?<![\w-])(?=[\w-]+\.[\w-]+\.[\w-])([\w-]*?(?<![A-Za-z0-9]))eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/g
/** A fast test. If a text does not match, the text contains no key and no token. */
const MAY_CONTAIN_TOKEN = /_(?:live|sandbox|test)_|whsec_|eyJ/
/** The name of a JSON field. In JSON inside a JSON string, backslashes precede the quotes. */
const JSON_NAME = /"([\w. -]{1,64})(\\*)"\s*:\s*/g
const FORM_FIELD = /((?:^|[?&;,\s"'])([\w.-]{1,64})=)([^&;,\s"'\\<]+)/g
const XML_FIELD = /(<([\w.-]{1,64})>)([^<]+)(?=<)/g

/** Returns true for the name of a field with a secret value: `pin`, `customerPin`, `PIN_CODE`, `api_key`. */
export function isSecretName(name: string): boolean {
  const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())
  const joined = words.join('')
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_NAMES.has(joined) || SECRET_ENDING.test(joined)
}

/** Tests a text fast. False means that the text contains nothing to redact. */
export function mayHoldSecret(text: string): boolean {
  return MAY_NAME_SECRET.test(text) || MAY_CONTAIN_TOKEN.test(text)
}

/** Redacts API keys, signing secrets and session tokens in a text. */
export function redactText(text: string): string {
  if (!MAY_CONTAIN_TOKEN.test(text)) return text
  return text.replace(SECRET_TEXT, REDACTED).replace(SESSION_TOKEN, `$1${REDACTED}`)
}

/** Redacts all secrets in a text, by form and by field name. */
export function redactSecrets(text: string): string {
  return redactFields(redactText(text))
}

/** Redacts the values of secret fields in JSON, XML or form text, complete or truncated. All other text stays unchanged. */
export function redactFields(text: string): string {
  if (!MAY_NAME_SECRET.test(text)) return text
  return redactJson(text)
    .replace(FORM_FIELD, (all, head: string, name: string) => (isSecretName(name) ? head + REDACTED : all))
    .replace(XML_FIELD, (all, head: string, name: string) => (isSecretName(name) ? head + REDACTED : all))
}

function redactJson(text: string): string {
  let clean = ''
  let done = 0
  for (const match of text.matchAll(JSON_NAME)) {
    const [head, name = '', escapes = ''] = match
    if (match.index < done || !isSecretName(name)) continue
    // The quote before the name must have at least as many backslashes as the quote after the name.
    if (!text.startsWith(escapes, match.index - escapes.length)) continue
    const begin = match.index + head.length
    clean += `${text.slice(done, begin)}${escapes}"${REDACTED}${escapes}"`
    done = endOfValue(text, begin, escapes.length)
  }
  return clean + text.slice(done)
}

/**
 * Returns the position after the value that begins at `begin`. A value without quotes ends before a blank, a comma or a closing
 * bracket.
 */
function endOfValue(text: string, begin: number, escapes: number): number {
  if (text[begin] === '{' || text[begin] === '[') return endOfNested(text, begin, escapes)
  const quote = begin + escapes
  if (text[quote] !== '"') {
    const rest = /[\s,}\]]/g
    rest.lastIndex = begin
    return rest.exec(text)?.index ?? text.length
  }
  return endOfText(text, quote, escapes)
}

/**
 * Returns the end of the text whose first quote is at `quote`: the position after the next quote with at most as many
 * backslashes.
 */
function endOfText(text: string, quote: number, escapes: number): number {
  for (let at = text.indexOf('"', quote + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes <= escapes) return at + 1
  }
  return text.length
}

/** Returns the end of an object or a list. Brackets inside its texts do not count. */
function endOfNested(text: string, begin: number, escapes: number): number {
  let depth = 0
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '"') at = endOfText(text, at, escapes) - 1
    else if (text[at] === '{' || text[at] === '[') depth++
    else if ((text[at] === '}' || text[at] === ']') && --depth === 0) return at + 1
  }
  return text.length
}

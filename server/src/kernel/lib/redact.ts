// Taking out of texts what is secret: by its shape, as keys of ours are, or by its name, since a PIN has no shape of its own.

const REDACTED = '[redacted]'
/** Words of which one in a name makes its value a secret. */
const SECRET_WORDS = new Set(
  'pin mpin otp cvv cvc password passwd passcode secret authorization credential credentials'.split(' '),
)
/** Whole names that do, without what stands between their words. Other tokens and keys are not secret, such as that of an order. */
const SECRET_NAMES = new Set(
  'token accesstoken refreshtoken idtoken sessiontoken apikey apisecret plaintextkey sessionid sessionkey privatekey'.split(
    ' ',
  ),
)
/** Endings of names whose words were written together. */
const SECRET_ENDING = /(?:password|passwd|passcode|secret|pincode|userpin|customerpin|walletpin)$/
/** Says quickly of most texts that they name no secret. */
const MAY_NAME_ONE = /pin|otp|cv[vc]|pass(?:w|c)|secret|auth|credential|token|key|session/i
// Every expression here reads 64 KB in less than 5 ms, whatever the text is: server/test/regular-expressions.test.ts.
/** Text that looks like one of our keys or secrets, wherever it stands. */
const SECRET_TEXT =
  /(?<![A-Za-z0-9])(?:[a-z][a-z0-9]*_(?:live|sandbox|test)_[0-9A-Za-z]{20,}|whsec_[A-Za-z0-9+/=]{20,})/g
/** A session token, also behind other characters of its word. It is looked for once in each word that has two dots behind it. */
const SESSION_TOKEN = /(?<![\w-])(?=[\w-]+\.[\w-]+\.[\w-])([\w-]*?(?<![A-Za-z0-9]))eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/g
/** Says quickly of most texts that they hold none. */
const MAY_HOLD_ONE = /_(?:live|sandbox|test)_|whsec_|eyJ/
/** The name of a field in JSON, also in JSON within a text of JSON, whose quotes are escaped. */
const JSON_NAME = /"([\w. -]{1,64})(\\*)"\s*:\s*/g
const FORM_FIELD = /((?:^|[?&;,\s"'])([\w.-]{1,64})=)([^&;,\s"'\\<]+)/g
const XML_FIELD = /(<([\w.-]{1,64})>)([^<]+)(?=<)/g

/** True for the name of a field whose value is a PIN, a password or the like: `pin`, `customerPin`, `PIN_CODE`, `api_key`. */
export function isSecretName(name: string): boolean {
  const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())
  const joined = words.join('')
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_NAMES.has(joined) || SECRET_ENDING.test(joined)
}

/** False for a text from which nothing would be taken out: quick to say of most. */
export function mayHoldSecret(text: string): boolean {
  return MAY_NAME_ONE.test(text) || MAY_HOLD_ONE.test(text)
}

/** Takes keys, signing secrets and session tokens out of a text. */
export function redactText(text: string): string {
  if (!MAY_HOLD_ONE.test(text)) return text
  return text.replace(SECRET_TEXT, REDACTED).replace(SESSION_TOKEN, `$1${REDACTED}`)
}

/** Takes out of a text what is secret by its shape or by its name. */
export function redactSecrets(text: string): string {
  return redactFields(redactText(text))
}

/** Takes the values of secret fields out of JSON, XML or form text, whole or cut off. The rest stays as it is. */
export function redactFields(text: string): string {
  if (!MAY_NAME_ONE.test(text)) return text
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
    // The quote before the name is escaped at least as deep as the one behind it.
    if (!text.startsWith(escapes, match.index - escapes.length)) continue
    const begin = match.index + head.length
    clean += `${text.slice(done, begin)}${escapes}"${REDACTED}${escapes}"`
    done = endOfValue(text, begin, escapes.length)
  }
  return clean + text.slice(done)
}

/** Where the value that begins at `begin` ends: behind its closing quote, or its closing bracket. */
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

/** Where the text that begins with the quote at `quote` ends: behind the next quote that is escaped no deeper. */
function endOfText(text: string, quote: number, escapes: number): number {
  for (let at = text.indexOf('"', quote + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes <= escapes) return at + 1
  }
  return text.length
}

/** Where an object or a list ends; brackets within its texts are none. */
function endOfNested(text: string, begin: number, escapes: number): number {
  let depth = 0
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '"') at = endOfText(text, at, escapes) - 1
    else if (text[at] === '{' || text[at] === '[') depth++
    else if ((text[at] === '}' || text[at] === ']') && --depth === 0) return at + 1
  }
  return text.length
}

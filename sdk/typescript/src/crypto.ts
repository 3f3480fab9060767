// Makes random keys and computes the HMAC of webhooks with WebCrypto, for every runtime of the SDK.

type WebCrypto = typeof globalThis.crypto

/** The name is a variable, so that a bundler for another runtime does not try to include a module of Node. */
const NODE_CRYPTO: string = 'crypto'

/**
 * Returns the WebCrypto of the runtime. Of the supported runtimes, only Node 18 has no global WebCrypto, so this function takes
 * it from a module there.
 */
async function webCrypto(): Promise<WebCrypto> {
  return globalThis.crypto ?? (await import(/* webpackIgnore: true */ /* @vite-ignore */ NODE_CRYPTO)).webcrypto
}

/** Returns a random UUID, which the SDK uses as an idempotency key. */
export async function randomKey(): Promise<string> {
  return (await webCrypto()).randomUUID()
}

/** Computes the HMAC-SHA256 of a message. The result has 32 bytes. */
export async function hmacSha256(key: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { subtle } = await webCrypto()
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await subtle.sign('HMAC', imported, message))
}

/**
 * Returns true if two byte strings are equal. The time depends only on their length, so that it reveals no byte of a signature.
 */
export function isSame(expected: Uint8Array, given: Uint8Array): boolean {
  if (given.length !== expected.length) return false
  let difference = 0
  for (let i = 0; i < expected.length; i++) difference |= (expected[i] as number) ^ (given[i] as number)
  return difference === 0
}

/** Encodes a text as UTF-8, because WebCrypto signs bytes and no texts. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** Decodes base64. Null means that the text is no base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}

/** Decodes pairs of hexadecimal digits. Null means that the text is empty or has other characters. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return null
  return Uint8Array.from(text.match(/../g) as string[], (pair) => Number.parseInt(pair, 16))
}

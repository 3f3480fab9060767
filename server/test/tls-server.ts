// Runs a TLS server for tests, with a certificate of its own that no authority has signed.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'

/** The end of the validity of LOCALHOST_CERTIFICATE, in seconds since 1970. */
export const CERTIFICATE_END_S = 4_949_067_222

/** The private key of LOCALHOST_CERTIFICATE. */
export const LOCALHOST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4aeeOW6LpwmxzXWa
g+3FNIWPzsaueRUrzx7w2S0W4+GhRANCAATAXYmtddHej7kFJQxdv0I1K6GsdSLe
5qpa4vXURz/vEamZloxpUU6/vMSw2YhSTJiw5q9GBcXPWhakCxi4r3Dz
-----END PRIVATE KEY-----`

/** A self-signed certificate of localhost. A program trusts the certificate only if its settings name it. */
export const LOCALHOST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUdiQ7BJLLYwqQLIUj3+WNIg/TZxcwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzIwNTM0MloYDzIxMjYxMDMw
MjA1MzQyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATAXYmtddHej7kFJQxdv0I1K6GsdSLe5qpa4vXURz/vEamZloxpUU6/
vMSw2YhSTJiw5q9GBcXPWhakCxi4r3Dzo1MwUTAdBgNVHQ4EFgQUNabfePN1goI4
FTZQ36EPvV92pMIwHwYDVR0jBBgwFoAUNabfePN1goI4FTZQ36EPvV92pMIwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAg4eqUKQ+isEVw/GnyD4p
IajXQxKzDdsByeutJ+wgGnACIDDE2goZl58bWKhhmkDXN3db5pIpyeTAJEICt6N3
OG5d
-----END CERTIFICATE-----`

/** Starts a server that accepts connections and answers nothing. */
export async function startTlsServer(): Promise<{ port: number; close(): void }> {
  const server = createServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE }, (socket) =>
    socket.on('error', () => {}),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

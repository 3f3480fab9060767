// Contains the reasons why a webhook was not delivered, for both consoles.

/** The text of each error code of a delivery attempt. */
export const deliveryErrors: { readonly [language in 'sw' | 'en']: Readonly<Record<string, string>> } = {
  sw: {
    blocked_destination: 'anwani hiyo iko ndani ya mtandao wa binafsi na hairuhusiwi',
    connection_failed: 'muunganisho umeshindikana',
    connection_refused: 'seva imekataa muunganisho',
    connection_reset: 'seva imekata muunganisho',
    dns_not_found: 'jina la seva halipatikani',
    invalid_response: 'jibu halisomeki',
    invalid_url: 'anwani si sahihi',
    timeout: 'seva haikujibu kwa sekunde 8',
    tls_error: 'cheti cha TLS si sahihi',
    unreachable: 'seva haifikiki',
    redirect_not_followed: 'seva imeelekeza kwingine, na hatufuati maelekezo',
    unexpected_status: 'jibu si 2xx',
    not_configured: 'hakuna anwani iliyowekwa',
    endpoint_deleted: 'anwani iliondolewa, kwa hiyo ujumbe haukutumwa',
    secret_unreadable: 'siri haisomeki upande wetu; ibadilishe',
  },
  en: {
    blocked_destination: 'that address is inside a private network and not allowed',
    connection_failed: 'the connection failed',
    connection_refused: 'the server refused the connection',
    connection_reset: 'the server closed the connection',
    dns_not_found: 'the name of the server was not found',
    invalid_response: 'our server could not read the answer of the receiver',
    invalid_url: 'the address is not valid',
    timeout: 'the server did not answer within 8 seconds',
    tls_error: 'the TLS certificate is not valid',
    unreachable: 'our server cannot reach the receiver',
    redirect_not_followed: 'the server answered with a redirect, which we do not follow',
    unexpected_status: 'the receiver answered with an HTTP status other than 2xx',
    not_configured: 'no address is configured',
    endpoint_deleted: 'the endpoint was removed, so nothing was sent',
    secret_unreadable: 'the secret cannot be read on our side; rotate it',
  },
}

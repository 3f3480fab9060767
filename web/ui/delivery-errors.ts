// Contains the reasons why the server did not deliver a webhook, for both consoles.

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
    timeout: 'seva haikujibu kwa wakati',
    tls_error: 'cheti cha TLS si sahihi',
    unreachable: 'seva haifikiki',
    redirect_not_followed: 'seva imeelekeza kwingine, na hatufuati maelekezo',
    unexpected_status: 'jibu si 2xx',
    not_configured: 'hakuna anwani iliyowekwa',
    endpoint_deleted: 'anwani iliondolewa, kwa hiyo ujumbe haukutumwa',
    secret_unreadable: 'siri haisomeki upande wetu; ibadilishe',
  },
  en: {
    blocked_destination: 'our server does not call this address, because the address is inside a private network',
    connection_failed: 'the connection failed',
    connection_refused: 'the receiver refused the connection',
    connection_reset: 'the receiver closed the connection',
    dns_not_found: 'our server found no address for the name of the receiver',
    invalid_response: 'our server could not read the answer of the receiver',
    invalid_url: 'the address is not valid',
    timeout: 'the receiver did not answer in time',
    tls_error: 'the TLS certificate is not valid',
    unreachable: 'our server cannot reach the receiver',
    redirect_not_followed: 'the receiver answered with a redirect, which our server does not follow',
    unexpected_status: 'the receiver answered with an HTTP status other than 2xx',
    not_configured: 'no address is configured',
    endpoint_deleted: 'the merchant removed the endpoint, so our server sent nothing',
    secret_unreadable: 'our server cannot read the secret; rotate the secret',
  },
}

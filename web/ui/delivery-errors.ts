// Contains the reasons why the server did not deliver a webhook or a message, for both consoles.

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

/** The text of each error code of a message. */
export const messageErrors: { readonly [language in 'sw' | 'en']: Readonly<Record<string, string>> } = {
  sw: {
    invalid_recipient: 'Anwani au namba si sahihi',
    recipient_refused: 'Mpokeaji amekataliwa',
    message_refused: 'Ujumbe umekataliwa',
    gateway_refused: 'Mtoa huduma wa ujumbe amekataa',
    gateway_unreachable: 'Mtoa huduma wa ujumbe hafikiki',
    attachment_failed: 'Kiambatisho kimeshindikana',
    unknown_outcome: 'Haijulikani kama umefika; hautumwi tena',
    recipient_limit: 'Mpokeaji amepata ujumbe mwingi ndani ya saa 24; huu hautumwi',
    late: 'Seva haikupata muda wa kutuma',
    unreadable: 'Seva haiwezi kusoma maneno ya ujumbe',
  },
  en: {
    invalid_recipient: 'The address or number is not valid',
    recipient_refused: 'The gateway refused the recipient',
    message_refused: 'The gateway refused the message',
    gateway_refused: 'The gateway refused the request of the server',
    gateway_unreachable: 'The server cannot reach the gateway',
    attachment_failed: 'The attachment failed',
    unknown_outcome: 'The message may have arrived; the server does not send it again',
    recipient_limit: 'The recipient got too many messages in 24 hours; the server does not send this message',
    late: 'The server had no time for the attempt',
    unreadable: 'The server cannot read the text of the message',
  },
}

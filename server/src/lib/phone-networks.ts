// Which network a phone number began at. Numbers are portable: it is a guess, to be shown and counted, never to decide by.

/** The network that a number was given out by, by the two digits after 255, as GET /v1/destinations names it. */
export const NETWORK_OF_PREFIX: Readonly<Record<string, string>> = {
  61: 'HALOPESA',
  62: 'HALOPESA',
  63: 'HALOPESA',
  65: 'MIXX',
  66: 'AIRTEL',
  67: 'MIXX',
  68: 'AIRTEL',
  69: 'AIRTEL',
  70: 'MIXX',
  71: 'MIXX',
  72: 'MPESA',
  73: 'TTCL',
  74: 'MPESA',
  75: 'MPESA',
  76: 'MPESA',
  77: 'EZYPESA',
  78: 'AIRTEL',
  79: 'MPESA',
}

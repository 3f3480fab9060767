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

/** The guess for a canonical number in a column, as SQL: a code, or an empty text. Sums are kept by it: change no entry, add some. */
export function networkSql(column: string): string {
  const codes = [...new Set(Object.values(NETWORK_OF_PREFIX))]
  const whens = codes.map((code) => {
    const prefixes = Object.keys(NETWORK_OF_PREFIX).filter((prefix) => NETWORK_OF_PREFIX[prefix] === code)
    return `when substr(${column}, 4, 2) in (${prefixes.map((prefix) => `'${prefix}'`).join(', ')}) then '${code}'`
  })
  return `case ${whens.join(' ')} else '' end`
}

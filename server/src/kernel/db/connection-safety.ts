// Checks whether other machines can read or change the connections of a database URL.

import pg from 'pg'
import { isThisMachine, splitDatabaseUrl } from '../lib/index.ts'

/** A connection that another machine can read or change: the host of the database, and the reason. */
export type ConnectionRisk = { host: string; why: string }

/**
 * Returns the risk of the first host of this URL that has a risk. Null means that connections stay on this machine, or that TLS
 * encrypts them and verifies the server. The driver itself reads the URL, so that PGHOST and PGSSLMODE count too.
 */
export function connectionRisk(url: string): ConnectionRisk | null {
  if (url === '') return riskOfHost('')
  for (const one of splitDatabaseUrl(url).urls) {
    const risk = riskOfHost(one)
    if (risk !== null) return risk
  }
  return null
}

function riskOfHost(url: string): ConnectionRisk | null {
  const { host, ssl } = new pg.Client({ connectionString: url }) as unknown as { host: string; ssl: TlsOptions }
  if (host.startsWith('/') || isThisMachine(host)) return null
  if (ssl === false)
    return { host, why: 'has no TLS, so other machines of the network can read and change every payment' }
  if (typeof ssl === 'object' && ssl.rejectUnauthorized === false) {
    return {
      host,
      why: 'encrypts without a check of the certificate, so another server can pretend to be the database',
    }
  }
  return null
}

type TlsOptions = boolean | { rejectUnauthorized?: boolean }

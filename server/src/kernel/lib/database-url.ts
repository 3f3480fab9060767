// Reads the URL of a database, which may name several hosts. The driver accepts only one host, so this file splits the URL.

import { accessSync, constants } from 'node:fs'

/** The hosts and the options of a database URL. */
export type DatabaseUrl = {
  /** The URL of each host in the order of the operator, in the form that the driver reads. */
  urls: readonly string[]
  /** True if the server may use only a host that accepts writes. */
  must_accept_writes: boolean
  /** The session options of the operator, such as `-c search_path=malipo`. Empty if the URL has none. */
  options: string
  /** True if the connections go through a connection pooler in transaction mode. */
  is_pooled: boolean
}

/** The URL parameter with the value of DATABASE_POOLER, which `withPooler` adds. */
const POOLER = 'pooler'
/** The parameters that the server removes from the URL, because the driver does not read them as the server does. */
const OWN_PARAMETERS = ['target_session_attrs', 'options', POOLER]
const FORM = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s
const TARGETS = ['read-write', 'primary', 'any']
/**
 * The settings that the pool sets for each kind of statement. A value in the URL would replace the value of the pool.
 */
const SET_BY_SERVER = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'query_timeout']

/**
 * Splits a database URL into one URL for each host. If the URL is wrong, throws an error that contains no user, password, host
 * or database of the URL.
 */
export function splitDatabaseUrl(text: string): DatabaseUrl {
  const [, protocol = '', user = '', authority = '', rest = ''] = FORM.exec(text) ?? []
  if (protocol === '') throw new Error('must be a URL that starts with postgres:// or postgresql://')
  const hosts = authority.split(',')
  const found = hosts.map((host, i) => {
    const url = `${protocol}${user}${host}${rest}`
    if (hosts.length > 1 && host.trim() === '')
      throw new Error(`names no host at place ${i + 1} of ${hosts.length}: remove the comma or add the host`)
    if (!URL.canParse(url)) throw new Error(problemOf(i, hosts.length))
    return new URL(url)
  })
  const { searchParams } = found[0] as URL
  const target = searchParams.get('target_session_attrs') ?? 'any'
  checkParameters(searchParams, target, hosts.length)
  const options = searchParams.get('options') ?? ''
  const is_pooled = searchParams.get(POOLER) === 'transaction'
  const is_plain = !OWN_PARAMETERS.some((name) => searchParams.has(name))
  const urls = found.map((url) => {
    for (const name of OWN_PARAMETERS) url.searchParams.delete(name)
    return url.href
  })
  return {
    urls: is_plain && urls.length === 1 ? [text] : urls,
    must_accept_writes: target !== 'any',
    options,
    is_pooled,
  }
}

function problemOf(index: number, count: number): string {
  if (count === 1) return 'must be a URL such as postgres://user:password@host:5432/database'
  return `names a wrong host or port at place ${index + 1} of ${count}: write host:port,host:port before the name of the database`
}

function checkParameters(parameters: URLSearchParams, target: string, hosts: number): void {
  if (!TARGETS.includes(target)) throw new Error(`must have a target_session_attrs of ${TARGETS.join(', ')}`)
  if (hosts > 1 && target === 'any')
    throw new Error(
      'names several hosts: add target_session_attrs=read-write, so that the server uses only the primary',
    )
  const elsewhere = ['host', 'port'].find(
    (name) => parameters.get(name)?.includes(',') || (hosts > 1 && parameters.has(name)),
  )
  if (elsewhere !== undefined)
    throw new Error(
      `must name several hosts before the name of the database, as host:port,host:port, not in ${elsewhere}=`,
    )
  const own = SET_BY_SERVER.find((name) => parameters.has(name))
  if (own !== undefined)
    throw new Error(`must not set ${own}: remove it, because the server sets it for each kind of statement`)
}

/** Adds the parameter of a connection pooler in transaction mode to a database URL. */
export function withPooler(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${POOLER}=transaction`
}

/** Accepts an empty text, or the URL of a database with one host or several. Removes a slash at the end of the URL. */
export const databaseUrl = (value: string): string => {
  if (value === '') return ''
  const { urls, is_pooled } = splitDatabaseUrl(value)
  if (is_pooled) throw new Error('must not set pooler: remove it, and set DATABASE_POOLER=transaction instead')
  const { searchParams } = new URL(urls[0] as string)
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name)
    if (file !== null && !isReadable(file))
      throw new Error(
        `names the ${name} ${file}, which this process cannot read: correct the path, or let the user of the process read the file`,
      )
  }
  return value.replace(/\/$/, '')
}

/** Lists the problems of DATABASE_READ_URL, alone and together with DATABASE_URL. */
export function readUrlProblems({
  database_url,
  database_read_url,
}: Record<'database_url' | 'database_read_url', string>): string[] {
  if (database_read_url === '') return []
  if (database_url === '')
    return [
      'DATABASE_READ_URL needs DATABASE_URL, because the embedded database has no replica: set both, or remove DATABASE_READ_URL',
    ]
  if (splitDatabaseUrl(database_read_url).must_accept_writes)
    return ['DATABASE_READ_URL must name one host without target_session_attrs, because a replica accepts no writes']
  return []
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

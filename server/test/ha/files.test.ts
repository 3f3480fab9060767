// Tests the files of deploy/ha without a cluster. `npm run ha` starts a cluster with these files and breaks it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')

type Shared = Record<'ttl' | 'loop_wait' | 'retry_timeout' | 'synchronous_node_count', number> &
  Record<'synchronous_mode' | 'synchronous_mode_strict', boolean> & {
    postgresql: { parameters: Record<string, unknown> }
  }
type PatroniFile = {
  etcd?: { hosts: string[] }
  bootstrap: { dcs: Shared; initdb: unknown[] }
  postgresql: {
    authentication: Record<string, { sslmode: string }>
    parameters: Record<string, string>
    pg_hba: string[]
  }
}

const patroni = parse(read('deploy/ha/patroni.yml')) as PatroniFile
const etcd = read('deploy/ha/etcd.conf')
const haproxy = read('deploy/ha/haproxy.cfg')
const addresses = (text: string) => [...new Set(text.match(/10\.0\.0\.\d+/g))].sort()

test('the settings of Patroni require each commit on a second node, and a new leader within the documented time', () => {
  const { dcs } = patroni.bootstrap
  assert.ok(dcs.synchronous_mode && dcs.synchronous_mode_strict && dcs.synchronous_node_count >= 1)
  assert.equal(dcs.postgresql.parameters.synchronous_commit, 'on')
  assert.ok(dcs.loop_wait + 2 * dcs.retry_timeout <= dcs.ttl, 'the rule of Patroni for its times')
  assert.ok(dcs.ttl <= 20, 'the handbook promises at most 30 seconds without payments')
  assert.ok(patroni.bootstrap.initdb.includes('data-checksums'))
})

test('Patroni uses the v2 API of etcd, because version 3.0.2 loses commits with the v3 API', () => {
  assert.deepEqual(
    Object.keys(patroni).filter((name) => name.startsWith('etcd')),
    ['etcd'],
  )
  assert.match(etcd, /^ETCD_ENABLE_V2=true$/m)
  const page = read('docs/operate/high-availability.md')
  assert.match(page, /Patroni 3\.0\.3 or later/)
  assert.match(read('deploy/ha/patroni.yml'), /etcd3/)
})

test('each network connection to a database node needs TLS and a password, and nodes check the certificates of each other', () => {
  const { pg_hba, parameters, authentication } = patroni.postgresql
  assert.equal(parameters.ssl, 'on')
  assert.ok(pg_hba.some((line) => line.startsWith('hostssl ')))
  for (const line of pg_hba) assert.match(line, /^(?:local all postgres peer|hostssl .* scram-sha-256)$/)
  assert.deepEqual(Object.keys(authentication).sort(), ['replication', 'superuser'])
  for (const { sslmode } of Object.values(authentication)) assert.equal(sslmode, 'verify-ca')
})

test('HAProxy connects servers only to the node that holds the key of the leader, and ends the connections to any other node', () => {
  assert.match(haproxy, /^\toption httpchk OPTIONS \/primary$/m)
  assert.match(haproxy, /^\thttp-check expect status 200$/m)
  assert.match(haproxy, /default-server port 8008 .*on-marked-down shutdown-sessions$/m)
  // Without `check`, HAProxy does not query a node, so it sends connections to all nodes.
  assert.equal(haproxy.match(/^\tserver pg\d 10\.0\.0\.\d+:5432 check$/gm)?.length, 3)
  assert.match(haproxy, /^\tbind 127\.0\.0\.1:5000$/m)
  assert.doesNotMatch(haproxy, /\bbackup\b|\/replica|\/read-only/)
})

test('the files of Patroni, etcd and HAProxy name the same three nodes, and patroni_env.conf contains no password', () => {
  const nodes = ['10.0.0.11', '10.0.0.12', '10.0.0.13']
  assert.deepEqual(addresses((patroni.etcd?.hosts ?? []).join(' ')), nodes)
  assert.deepEqual(addresses(etcd), nodes)
  assert.deepEqual(addresses(haproxy), nodes)
  const env = read('deploy/ha/patroni_env.conf')
  assert.deepEqual(env.match(/^\w+_PASSWORD=.+$/gm), null)
  assert.equal(env.match(/^\w+_PASSWORD=$/gm)?.length, 3)
})

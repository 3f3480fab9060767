// Tests the risk of a database connection, for each form of URL that the driver reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionRisk } from './connection-safety.ts'

const hostOf = (url: string) => connectionRisk(url)?.host ?? null

test('the TLS check accepts connections without TLS that stay on this machine', () => {
  for (const url of [
    'postgres://malipo@127.0.0.1:5432/malipo',
    'postgres://malipo@127.8.8.8/malipo',
    'postgres://malipo@[::1]/malipo',
    'postgres://malipo@localhost/malipo',
    'postgres://malipo@%2Fvar%2Frun%2Fpostgresql/malipo',
    'postgres:///malipo?host=/var/run/postgresql',
    'postgres://db.example.tz/malipo?host=127.0.0.1',
  ]) {
    assert.equal(connectionRisk(url), null, url)
  }
})

test('the TLS check names the risk of connections to another machine without TLS', () => {
  for (const [url, host] of [
    ['postgres://malipo:secret@db.example.tz/malipo', 'db.example.tz'],
    ['postgres://malipo@db.example.tz/malipo?sslmode=disable', 'db.example.tz'],
    ['postgres://malipo@10.0.0.7/malipo', '10.0.0.7'],
    ['postgres://malipo@[fd00::7]/malipo', 'fd00::7'],
    ['postgres://malipo@db/malipo', 'db'],
    ['postgres://malipo@localhost.example.tz/malipo', 'localhost.example.tz'],
    ['postgres://malipo@localhost/malipo?host=db.example.tz', 'db.example.tz'],
    ['postgres://malipo@0.0.0.0/malipo', '0.0.0.0'],
  ] as const) {
    assert.equal(hostOf(url), host, url)
    assert.match(connectionRisk(url)?.why ?? '', /has no TLS/)
  }
})

test('the TLS check names the risk of TLS whose certificate the driver does not check', () => {
  for (const mode of [
    'sslmode=no-verify',
    'uselibpqcompat=true&sslmode=require',
    'uselibpqcompat=true&sslmode=prefer',
  ]) {
    const risk = connectionRisk(`postgres://malipo@db.example.tz/malipo?${mode}`)
    assert.match(risk?.why ?? '', /without a check of the certificate/, mode)
  }
})

test('the TLS check accepts verified TLS to another machine', () => {
  for (const mode of [
    'sslmode=verify-full',
    'sslmode=require',
    'ssl=true',
    'uselibpqcompat=true&sslmode=verify-full',
  ]) {
    assert.equal(connectionRisk(`postgres://malipo@db.example.tz/malipo?${mode}`), null, mode)
  }
})

test('the TLS check reads PGHOST and PGSSLMODE as the driver does', () => {
  try {
    process.env.PGHOST = 'db.example.tz'
    assert.equal(hostOf('postgres:///malipo'), 'db.example.tz')
    process.env.PGSSLMODE = 'verify-full'
    assert.equal(hostOf('postgres:///malipo'), null)
  } finally {
    delete process.env.PGHOST
    delete process.env.PGSSLMODE
  }
})

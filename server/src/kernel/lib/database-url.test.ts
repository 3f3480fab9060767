// Tests the reading of database URLs with one host and with several hosts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseUrl, readUrlProblems, splitDatabaseUrl } from './database-url.ts'

test('a URL with one host stays as the operator wrote it', () => {
  for (const url of [
    'postgres://malipo:se%40cret@127.0.0.1:5432/malipo',
    'postgres:///malipo?host=/var/run/postgresql',
    'postgres://malipo@%2Fvar%2Frun%2Fpostgresql/malipo?sslmode=disable',
    'postgresql://malipo@[fd00::7]:5433/malipo',
  ])
    assert.deepEqual(
      splitDatabaseUrl(url),
      { urls: [url], must_accept_writes: false, options: '', is_pooled: false },
      url,
    )
})

test('a URL with several hosts gives one URL for each host, with the same user, database and TLS', () => {
  const url =
    'postgres://malipo:s%40cret@db-a:5432,[fd00::7]:5433,db-c/malipo?sslmode=verify-full&target_session_attrs=read-write'
  assert.deepEqual(splitDatabaseUrl(url), {
    urls: [
      'postgres://malipo:s%40cret@db-a:5432/malipo?sslmode=verify-full',
      'postgres://malipo:s%40cret@[fd00::7]:5433/malipo?sslmode=verify-full',
      'postgres://malipo:s%40cret@db-c/malipo?sslmode=verify-full',
    ],
    must_accept_writes: true,
    options: '',
    is_pooled: false,
  })
})

test('splitDatabaseUrl returns the session options of the operator apart from the URL, because the pool adds its own options', () => {
  const { urls, options } = splitDatabaseUrl('postgres://u@h/db?options=-c%20search_path%3Dmalipo')
  assert.deepEqual([urls, options], [['postgres://u@h/db'], '-c search_path=malipo'])
})

test('the refusal of a wrong URL states the right form, and does not contain the password', () => {
  for (const [url, why] of [
    ['mysql://malipo:hidden@db/malipo', /postgres:\/\/ or postgresql:\/\//],
    [
      'postgres://malipo:hidden@a:1,b:99999/malipo?target_session_attrs=read-write',
      /place 2 of 2: write host:port,host:port/,
    ],
    ['postgres://malipo:hidden@a,,b/malipo?target_session_attrs=read-write', /names no host at place 2 of 3/],
    ['postgres://malipo:hidden@a,b/malipo', /several hosts: add target_session_attrs=read-write/],
    [
      'postgres://malipo:hidden@a,b/malipo?target_session_attrs=any',
      /several hosts: add target_session_attrs=read-write/,
    ],
    [
      'postgres://malipo:hidden@a/malipo?target_session_attrs=standby',
      /target_session_attrs of read-write, primary, any/,
    ],
    ['postgres://malipo:hidden@a/malipo?host=b,c', /before the name of the database/],
    ['postgres://malipo:hidden@a/malipo?statement_timeout=0', /must not set statement_timeout: remove it/],
    [
      'postgres://malipo:hidden@a/malipo?sslrootcert=/no/such/file',
      /sslrootcert \/no\/such\/file, which this process cannot read/,
    ],
  ] as const) {
    assert.throws(
      () => databaseUrl(url),
      ({ message }: Error) => why.test(message) && !message.includes('hidden'),
      url,
    )
  }
})

test('DATABASE_READ_URL needs DATABASE_URL and must not require a host that accepts writes', () => {
  const database_url = 'postgres://malipo:hidden@a/malipo'
  const problems = (database_read_url: string, of = database_url) =>
    readUrlProblems({ database_url: of, database_read_url }).join()
  assert.equal(problems(''), '')
  assert.equal(problems('postgres://malipo:hidden@b/malipo'), '')
  assert.match(problems('postgres://malipo:hidden@b/malipo', ''), /DATABASE_READ_URL needs DATABASE_URL/)
  assert.match(
    problems('postgres://malipo:hidden@b,c/malipo?target_session_attrs=read-write'),
    /must name one host without target_session_attrs/,
  )
})

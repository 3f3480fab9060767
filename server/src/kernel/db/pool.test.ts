// Tests the errors, savepoints, retries and lost connections of transactions.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createDb, type Db, inTransaction, isUnavailable, sql, type Tx } from './index.ts'

let database: TestDatabase
let db: Db
before(async () => {
  database = await createTestDatabase(null)
  db = createDb({ url: database.url, max_connections: 4 })
  await db.query(sql('', 'create table places (id int primary key, taken int not null)'))
  await db.query(sql('', 'insert into places values (1, 0), (2, 0)'))
})
after(async () => {
  await db.close()
  await database.drop()
})

const TAKE = sql('take', 'update places set taken = taken + 1 where id = $1')
const BREAK = sql('break', 'insert into places values ($1, 0)')

describe('failed statements in a transaction', () => {
  const failIgnored = (tx: Tx, values: readonly unknown[]) => tx.query(BREAK, values).catch(() => [])
  const taken = async () => {
    const [row] = await db.query<{ taken: number }>(sql('', 'select taken from places where id = 1'))
    return row?.taken
  }

  test('a failed statement makes its whole transaction fail, even when the caller ignores the error', async () => {
    const before = await taken()
    for (const pipelined of [false, true]) {
      const work = async (tx: Tx) => {
        const takes = tx.query(TAKE, [1])
        if (!pipelined) await takes
        await Promise.all([takes, failIgnored(tx, [1])])
        return 'done'
      }
      await assert.rejects(inTransaction(db, work), { code: '23505' })
    }
    assert.equal(await taken(), before)
  })

  test('a rollback to a savepoint undoes a failed statement, and the transaction keeps its other statements', async () => {
    const before = (await taken()) ?? 0
    const answer = await inTransaction(db, async (tx) => {
      await tx.query(TAKE, [1])
      await tx.query(sql('', 'savepoint here'))
      await failIgnored(tx, [1])
      await tx.query(sql('', 'rollback to savepoint here'))
      return 'done'
    })
    assert.equal(answer, 'done')
    assert.equal(await taken(), before + 1)
    await db.query(sql('', 'update places set taken = 0'))
  })
})

describe('parallel statements of a transaction', () => {
  /** Delays the result of a statement by more microtasks than the other results. */
  const slowly = async (work: Promise<unknown>) => {
    for (let i = 0; i < 5; i++) await Promise.resolve()
    await work.catch(async (error) => {
      for (let i = 0; i < 20; i++) await Promise.resolve()
      throw error
    })
  }

  test('a transaction of parallel statements rejects with the error of the first failed statement and keeps no change', async () => {
    const work = (tx: Tx) =>
      Promise.all([tx.query(TAKE, [2]), slowly(tx.query(BREAK, [1])), tx.query(TAKE, [1]), tx.query(TAKE, [2])])
    for (let i = 0; i < 20; i++) await assert.rejects(inTransaction(db, work), { code: '23505' })
    assert.deepEqual(await db.query(sql('', 'select sum(taken)::int as taken from places')), [{ taken: 0 }])
  })

  test('the pool repeats a transaction after a deadlock between two transactions with parallel statements', async () => {
    const met = Promise.withResolvers<void>()
    let runs = 0
    let arrived = 0
    const opposite = (mine: number, other: number) =>
      inTransaction(db, async (tx) => {
        runs++
        await tx.query(TAKE, [mine])
        if (++arrived === 2) met.resolve()
        await met.promise
        await Promise.all([slowly(tx.query(TAKE, [other])), tx.query(TAKE, [mine]), tx.query(TAKE, [mine])])
      })
    await Promise.all([opposite(1, 2), opposite(2, 1)])
    assert.equal(runs, 3, 'one of the two transactions runs twice')
    assert.deepEqual(await db.query(sql('', 'select sum(taken)::int as taken from places')), [{ taken: 8 }])
  })
})

describe('lost connections in a transaction', () => {
  const MINE = sql('', 'select pg_backend_pid() as pid')
  const END = sql('', 'select pg_terminate_backend($1::int)')
  const lost = async (between: (tx: Tx, end: () => Promise<unknown>) => Promise<unknown>) =>
    inTransaction(db, async (tx) => {
      const [mine] = await tx.query<{ pid: number }>(MINE)
      await tx.query(TAKE, [1])
      return between(tx, () => db.query(END, [mine?.pid]))
    }).then(
      () => assert.fail('the transaction was reported as done'),
      (error: unknown) => assert.ok(isUnavailable(error), String(error)),
    )

  test('a transaction that loses its connection rejects as unavailable and keeps no change, and the process continues', async () => {
    const [before] = await db.query<{ taken: number }>(sql('', 'select taken from places where id = 1'))
    await lost(async (tx, end) => {
      const running = tx.query(sql('', 'select pg_sleep(60)'))
      await end()
      return running
    })
    await lost((_tx, end) => end())
    await lost(async (tx, end) => {
      // The test never awaits the result of this statement.
      void tx.query(sql('', 'select pg_sleep(60)'))
      return end()
    })
    const [after] = await db.query<{ taken: number }>(sql('', 'select taken from places where id = 1'))
    assert.deepEqual(after, before)
  })

  test('a transaction that fails because of a full disk rejects with this cause, even when the transaction awaits only a later statement', async () => {
    const full = sql('', "do $$ begin raise exception using errcode = '53100'; end $$")
    const repeated = sql('pool_repeated', 'select $1::int as n')
    const work = (tx: Tx) => {
      for (const refused of [tx.query(full), tx.query(repeated, [1])]) refused.catch(() => {})
      return tx.query(repeated, [2])
    }
    const pipelined = createDb({ url: database.url, max_connections: 1 })
    try {
      await assert.rejects(inTransaction(pipelined, work), { code: '53100' })
    } finally {
      await pipelined.close()
    }
  })

  test('a parallel branch of a transaction writes nothing after another branch has failed', async () => {
    const failed = Promise.withResolvers<void>()
    const late = Promise.withResolvers<unknown>()
    const branch = async (tx: Tx) => {
      await failed.promise
      await tx.query(TAKE, [1]).then(late.resolve, late.resolve)
    }
    const work = (tx: Tx) => Promise.all([branch(tx), Promise.reject(new Error('the other branch'))])
    await assert.rejects(inTransaction(db, work), { message: 'the other branch' })
    const [before] = await db.query<{ taken: number }>(sql('', 'select taken from places where id = 1'))
    failed.resolve()
    assert.match(String(await late.promise), /the transaction is over/)
    assert.deepEqual(await db.query(sql('', 'select taken from places where id = 1')), [before])
  })
})

test('isUnavailable is true for the errors of an unreachable, full or starting database, and false for other errors', () => {
  const gone = ['ECONNREFUSED', 'ECONNABORTED', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT']
  // The codes come from a test with a small full disk: a refused write, then the restart of PostgreSQL and the lost
  // connections.
  const full = ['53100', '57P02', '57P03', '57P01', '58030', 'EPIPE', 'ECONNRESET']
  // EAGAIN: the queue of the Unix socket is full. The streams of Node report the other two for a socket that has just closed.
  const closed = ['EAGAIN', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']
  for (const code of [...gone, ...full, ...closed])
    assert.equal(isUnavailable(Object.assign(new Error('x'), { code })), true, code)
  assert.equal(isUnavailable(new Error('Client was closed and is not queryable')), true)
  for (const code of ['23505', '42P01', 'XX001', 'ENOENT'])
    assert.equal(isUnavailable(Object.assign(new Error('x'), { code })), false, code)
})

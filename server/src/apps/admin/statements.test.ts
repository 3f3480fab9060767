// Tests the command that imports a statement. The command reads the file from disk and writes the audit log.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createWorld } from '../../../test/harness.ts'
import { csvOf, DAY, lineOf, NOW, plant } from '../../../test/statements.ts'
import { statementForm } from '../../adapters/providers/statement-forms.ts'
import { importStatement, statementToImport } from './statements.ts'

test('the admin command imports a statement with other column names, refuses the same file again, and writes the audit log', async (t) => {
  const world = await createWorld()
  const folder = await mkdtemp(join(tmpdir(), 'malipo-command-'))
  t.after(async () => {
    await world.close()
    await rm(folder, { recursive: true })
  })
  const at = new Date('2026-01-05T07:00:00Z')
  const planted = await plant(world, [
    { flow: 'payment', state: 'paid', amount_minor: 500n, at },
    { flow: 'payment', state: 'failed', amount_minor: 700n, at },
  ])
  const path = join(folder, 'monday.csv')
  await writeFile(path, csvOf(planted.map((one) => lineOf(one))).replace('reference', 'Order'))
  const values = { provider: 'mock', file: path, from: DAY, to: NOW, columns: 'reference=Order' }
  const input = statementToImport(values)
  const { id, file_name, state, lines, matched, opened } = await importStatement(world.deps, input)
  assert.deepEqual([file_name, state, lines, matched, opened], ['monday.csv', 'done', 2, 1, 1])
  const log = await world.rows(
    `select actor_kind, actor_name, action from audit_log where target_type = 'statement' and target_id = $1`,
    [id],
  )
  assert.deepEqual(log, [{ actor_kind: 'command', actor_name: 'admin', action: 'statement.import' }])
  await assert.rejects(importStatement(world.deps, input), /An operator imported this file on/)
  await writeFile(path, `${csvOf(planted.map((one) => lineOf(one)))}x`)
  await assert.rejects(
    importStatement(world.deps, statementToImport({ ...values, columns: '' })),
    /line 4 has 1 fields/,
  )
  const missing = { ...input, path: join(folder, 'tuesday.csv') }
  await assert.rejects(importStatement(world.deps, missing), /cannot read --file .* \(ENOENT\)/)
})

test('the admin command imports a statement of an unconfigured provider, in the format of that provider', async (t) => {
  const world = await createWorld()
  const folder = await mkdtemp(join(tmpdir(), 'malipo-command-'))
  t.after(async () => {
    await world.close()
    await rm(folder, { recursive: true })
  })
  const at = new Date('2026-01-05T07:00:00Z')
  const plants = [
    { flow: 'payment', state: 'paid', amount_minor: 500n, at },
    { flow: 'payout', state: 'paid', amount_minor: 700n, at },
  ] as const
  const planted = await plant(world, plants, 'vodacom')
  const rows = planted.map((one) => lineOf(one, { reference: statementForm('vodacom', one.reference) }))
  const path = join(folder, 'mpesa.csv')
  await writeFile(path, csvOf(rows).replace('kind', 'type'))
  const input = statementToImport({
    provider: 'vodacom',
    file: path,
    from: DAY,
    to: NOW,
    columns: 'kind=,provider_id=',
  })
  const { lines, matched, opened } = await importStatement(world.deps, input)
  assert.deepEqual([lines, matched, opened], [2, 2, 0])
})

// Tests the bill of materials, the check of licences and the check of known vulnerabilities. The registry is a local server.

import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { licenceProblems } from './licences.ts'
import { type Lock, type LockEntry, lockedPackages, readLock } from './locked-packages.ts'
import { sbomOf } from './sbom.ts'
import { audit, judgeAudit, readTimes } from './supply.ts'

const INTEGRITY = `sha512-${Buffer.alloc(64, 7).toString('base64')}`

/** A lock file whose server needs `runtime`, whose pages need `page`, and whose developers use `tool`. */
function lockWith(entries: Record<string, LockEntry> = {}): Lock {
  const one = { version: '1.0.0', license: 'MIT', integrity: INTEGRITY }
  return {
    name: 'shop',
    version: '0.1.0',
    packages: {
      '': { license: 'MIT', devDependencies: { tool: '1.0.0' } },
      server: { version: '0.1.0', license: 'MIT', dependencies: { runtime: '1.0.0' } },
      web: { version: '0.1.0', license: 'MIT', devDependencies: { page: '1.0.0', vite: '1.0.0' } },
      'node_modules/@shop/server': { resolved: 'server', link: true },
      'node_modules/@shop/web': { resolved: 'web', link: true },
      'node_modules/runtime': { ...one, dependencies: { inner: '1.0.0' } },
      'node_modules/runtime/node_modules/inner': one,
      'node_modules/inner': { ...one, version: '2.0.0' },
      'node_modules/page': one,
      'node_modules/vite': one,
      'node_modules/tool': { ...one, dependencies: { inner: '2.0.0' } },
      ...entries,
    },
  }
}

test('the bill of materials is deterministic and names the version, hash and licence of every package', async () => {
  const lock = await readLock()
  const sbom = sbomOf(lock)
  assert.equal(JSON.stringify(sbom), JSON.stringify(sbomOf(await readLock())))
  assert.deepEqual([sbom.bomFormat, sbom.specVersion, sbom.version], ['CycloneDX', '1.6', 1])
  assert.match(sbom.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  const installed = new Set(
    Object.entries(lock.packages).flatMap(([path, { version, link }]) =>
      path.includes('node_modules/') && !link ? [`${path.split('node_modules/').at(-1)}@${version}`] : [],
    ),
  )
  const refs = sbom.components.map((one) => one['bom-ref'])
  assert.deepEqual(new Set(refs.filter((ref) => !ref.startsWith('@malipo/'))), installed)
  assert.equal(new Set(refs).size, refs.length)
  for (const { purl, licenses = [], hashes, type } of sbom.components) {
    assert.match(purl, /^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/)
    assert.equal(licenses.length, 1, purl)
    if (type === 'library') assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/, purl)
  }
  const known = new Set([...refs, sbom.metadata.component['bom-ref']])
  for (const { ref, dependsOn } of sbom.dependencies) {
    for (const one of [ref, ...dependsOn]) assert.ok(known.has(one), `${one} is not a component`)
  }
})

test('the bill of materials separates packages of the server and of pages from tools', async () => {
  const scopes = Object.fromEntries(sbomOf(lockWith()).components.map((one) => [one['bom-ref'], one.scope]))
  assert.deepEqual(scopes, {
    '@shop/server@0.1.0': 'required',
    '@shop/web@0.1.0': 'required',
    'inner@1.0.0': 'required',
    'inner@2.0.0': 'excluded',
    'page@1.0.0': 'required',
    'runtime@1.0.0': 'required',
    'tool@1.0.0': 'excluded',
    'vite@1.0.0': 'excluded',
  })
  const lock = await readLock()
  const shipped = new Set(lockedPackages(lock).flatMap((one) => (one.shipped ? one.paths : [])))
  const forgotten = Object.entries(lock.packages).filter(
    ([path, entry]) => path !== '' && !entry.link && !('dev' in entry) && !shipped.has(path),
  )
  assert.deepEqual(forgotten, [], 'npm installs these packages in production')
  for (const name of ['react', 'oidc-client-ts', 'fastify']) assert.ok(shipped.has(`node_modules/${name}`), name)
})

test('the check accepts the licence of each installed package', async () => {
  assert.deepEqual(licenceProblems(lockedPackages(await readLock())), [])
})

test('the check refuses a missing or unaccepted licence and names the package and its use', async () => {
  const real = lockedPackages(await readLock())
  const refused = (path: string, license: string | undefined) => {
    const entry = { version: '1.0.0', integrity: INTEGRITY, ...(license === undefined ? {} : { license }) }
    const problems = licenceProblems([...real, ...lockedPackages(lockWith({ [path]: entry }))])
    return problems.map((problem) => problem.slice(0, problem.indexOf(')') + 1))
  }
  for (const license of ['GPL-3.0', 'MIT AND GPL-3.0', '(MIT OR ISC) AND GPL-2.0', 'MIT OR', '(MIT', '', undefined]) {
    assert.deepEqual(refused('node_modules/runtime', license), ['runtime@1.0.0 (shipped)'], license)
  }
  for (const license of ['GPL-3.0 OR MIT', '(GPL-3.0 OR (ISC AND MIT))', 'ISC OR GPL-3.0 AND GPL-2.0']) {
    assert.deepEqual(refused('node_modules/runtime', license), [], license)
  }
  assert.deepEqual(refused('node_modules/page', 'MPL-2.0'), ['page@1.0.0 (shipped)'])
  assert.deepEqual(refused('node_modules/tool', 'MPL-2.0'), [])
})

test('the check accepts a read licence for one version only, and reports a read licence without an installed package', async () => {
  const real = lockedPackages(await readLock())
  const newer = real.map((one) => (one.name === 'png-js' ? { ...one, key: 'png-js@2.0.1', version: '2.0.1' } : one))
  assert.match(licenceProblems(newer).join('\n'), /^png-js@2\.0\.1 \(shipped\) declares no licence/)
  const without = real.filter(({ name }) => name !== 'png-js')
  assert.deepEqual(licenceProblems(without), ['scripts/licences.ts names png-js, which is not installed: remove it'])
})

test('the check fails on a severe vulnerability in a shipped package, and on a critical vulnerability in any package', async () => {
  const packages = lockedPackages(lockWith())
  const judge = (node: string, severity: string) => {
    const via = [{ title: 'Reads any file', url: 'https://example.tz/1', severity, range: '<2' }, 'another']
    const report = { auditReportVersion: 2, vulnerabilities: { one: { nodes: [node], via } } }
    return judgeAudit(report, packages, async () => null)
  }
  const failing = async (node: string) => {
    const severities = ['low', 'moderate', 'high', 'critical']
    const results = await Promise.all(severities.map((one) => judge(node, one)))
    return severities.filter((_, i) => results[i]?.failed)
  }
  assert.deepEqual(await failing('node_modules/runtime/node_modules/inner'), ['high', 'critical'])
  assert.deepEqual(await failing('node_modules/page'), ['high', 'critical'])
  assert.deepEqual(await failing('node_modules/inner'), ['critical'])
  assert.deepEqual((await judge('node_modules/page', 'high')).lines, [
    'FAILED  high: one <2 (shipped): Reads any file, https://example.tz/1',
    'FAILED  vulnerabilities: install a version without each failed one, or remove the package',
  ])
})

test('the check fails on any other vulnerability when its first corrected version is older than 90 days', async () => {
  const packages = lockedPackages(lockWith())
  const now = new Date('2026-06-30T00:00:00Z')
  const times = {
    created: '2020-01-01T00:00:00Z',
    '0.9.9': '2025-01-01T00:00:00Z',
    '1.0.0': '2025-02-01T00:00:00Z',
    '1.0.4-rc.1': '2025-03-01T00:00:00Z',
    '1.0.3': '2026-01-01T00:00:00Z',
    '2.0.0': '2026-02-01T00:00:00Z',
  }
  const judge = (range: string, corrected: string) => {
    const via = [{ title: 'Reads much', url: 'https://example.tz/3', severity: 'moderate', range }]
    const report = { auditReportVersion: 2, vulnerabilities: { tool: { nodes: ['node_modules/tool'], via } } }
    return judgeAudit(report, packages, async () => ({ ...times, '1.0.4': corrected }), now)
  }
  const late = await judge('>=1.0.0 <1.0.4 || 2.0.0', '2026-03-31T00:00:00Z')
  assert.deepEqual(late.lines.slice(0, 1), [
    'FAILED  moderate: tool >=1.0.0 <1.0.4 || 2.0.0 (tool): Reads much, https://example.tz/3, corrected in 1.0.4 of 2026-03-31',
  ])
  assert.equal(late.failed, true)
  const young = await judge('>= 1.0.0 < 1.0.4 || 2.0.0', '2026-04-02T00:00:00Z')
  assert.equal(young.failed, false)
  assert.match(young.lines[0] ?? '', /^listed {2}moderate: .*, corrected in 1\.0\.4 of 2026-04-02$/)
  const never = await judge('*', '2025-06-01T00:00:00Z')
  assert.equal(never.failed, false, 'no version is corrected')
})

test('the check fails on a vulnerability that the registry lists, and states that vulnerabilities are unchecked when no registry answers', async (t) => {
  const packages = lockedPackages(lockWith())
  const asked: string[] = []
  const registry = await startRegistry(t, asked)
  const folder = await mkdtemp(join(tmpdir(), 'audit-'))
  const manifest = { name: 'shop', version: '0.1.0', dependencies: { runtime: '1.0.0' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const entries = { '': manifest, 'node_modules/runtime': { version: '1.0.0', integrity: INTEGRITY } }
  const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: entries }
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
  const at = (url: string) =>
    audit(folder, { ...process.env, npm_config_registry: url, npm_config_cache: join(folder, 'cache') })

  const timesOf = async () => null
  const found = await judgeAudit(await at(registry.url), packages, timesOf)
  assert.deepEqual(found.lines.slice(0, 1), [
    'FAILED  critical: runtime <1.0.1 (shipped): Runs any command, https://example.tz/2',
  ])
  assert.equal(found.failed, true)
  assert.deepEqual(asked.slice(0, 1), ['POST /-/npm/v1/security/advisories/bulk'])
  const from = { ...process.env, npm_config_registry: registry.url, npm_config_cache: join(folder, 'cache') }
  assert.deepEqual(await readTimes('runtime', folder, from), { '1.0.0': '2026-01-01T00:00:00.000Z' })

  await registry.close()
  const silent = await judgeAudit(await at(registry.url), packages, timesOf)
  assert.equal(silent.failed, false)
  assert.match(silent.lines.join('\n'), /^NOT CHECKED {2}vulnerabilities: the registry did not answer: .*127\.0\.0\.1/)
})

/** Starts a registry that lists one critical vulnerability of the package `runtime`. */
async function startRegistry(t: TestContext, asked: string[]) {
  const advisory = {
    id: 2,
    url: 'https://example.tz/2',
    title: 'Runs any command',
    severity: 'critical',
    vulnerable_versions: '<1.0.1',
  }
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    response.setHeader('content-type', 'application/json')
    if (request.method === 'POST') return response.end(JSON.stringify({ runtime: [advisory] }))
    const version = { name: 'runtime', version: '1.0.0' }
    const time = { '1.0.0': '2026-01-01T00:00:00.000Z' }
    response.end(
      JSON.stringify({ name: 'runtime', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version }, time }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  t.after(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close }
}

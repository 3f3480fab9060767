// Tests which sources are ready for a release, and the format of the checksums.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRelease, checksums, type ReleaseFacts } from './release.ts'

const READY: ReleaseFacts = {
  changes: [],
  branch: 'main',
  versions: { 'package.json': '0.2.0', 'openapi.json': '0.2.0' },
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-24\n\n### Added\n\n## [0.1.0]\n',
  is_tagged: false,
  stale: [],
}
const failed = (change: Partial<ReleaseFacts>) =>
  checkRelease({ ...READY, ...change })
    .filter(({ problem }) => problem !== null)
    .map(({ name, problem }) => `${name}: ${problem}`)

test('a release needs a clean main, one version everywhere, a section of the changelog, a new tag and current generated files', () => {
  assert.deepEqual(failed({}), [])
  const cases: [Partial<ReleaseFacts>, RegExp][] = [
    [{ changes: ['?? a.ts'] }, /^clean tree: commit or remove these changes: \?\? a\.ts$/],
    [{ branch: 'next' }, /^on main: the branch is next/],
    [
      { versions: { ...READY.versions, 'openapi.json': '0.1.0' } },
      /^version: .* openapi\.json has 0\.1\.0: set the same/,
    ],
    [
      { changelog: READY.changelog.replace('## [0.2.0] - 2026-11-24', '') },
      /^changelog: .*"## \[0\.2\.0\] - YYYY-MM-DD"/,
    ],
    [{ changelog: READY.changelog.replace('### Added\n\n', '') }, /^changelog: /],
    [{ changelog: READY.changelog.replace(' - 2026-11-24', '') }, /^changelog: /],
    [{ is_tagged: true }, /^tag: the tag v0\.2\.0 exists/],
    [{ stale: ['openapi.json'] }, /^generated files: run npm run generate: openapi\.json$/],
  ]
  for (const [change, problem] of cases) {
    const [found = '', ...more] = failed(change)
    assert.match(found, problem)
    assert.deepEqual(more, [])
  }
  assert.match(failed({ versions: { 'package.json': '0.2' } })[0] ?? '', /^version: package\.json has the version 0\.2/)
})

test('the checksums have the form that sha256sum reads, in the order of the names', () => {
  const files = new Map([
    ['b.txt', Buffer.from('b')],
    ['a.txt', Buffer.from('')],
  ])
  assert.equal(
    checksums(files),
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.txt\n' +
      '3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b.txt\n',
  )
})

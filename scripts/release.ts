// `npm run release` checks that the sources are ready for a release, makes the artefacts of the release with their checksums,
// and makes its tag. It pushes nothing.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { packSdk } from '../sdk/typescript/build.ts'
import { ROOT, staleFiles } from './generated.ts'
import { readLock } from './locked-packages.ts'
import { sbomOf } from './sbom.ts'

const USAGE = `Usage: npm run release [-- --dry-run]

Checks that the tree is clean and on main. Checks that the version agrees everywhere and has a section with a date in CHANGELOG.md, and that
the generated files are up to date. Then writes the artefacts to dist/: the sources, the SDK for TypeScript, the bill of materials (SBOM),
the Debian package if dist/ has one of this version, and SHA256SUMS. Then makes the tag vVERSION. Pushes nothing.

  --dry-run   Make the artefacts in a temporary folder, print their checksums, remove them, and make no tag
`

const FOLDER = fileURLToPath(ROOT)
const BYTES_MAX = 1024 * 1024 * 1024
/** A release version: three numbers without a suffix. */
const VERSION_FORM = /^\d+\.\d+\.\d+$/

/** The facts that decide whether the sources are ready for a release. */
export type ReleaseFacts = {
  /** The lines of `git status --porcelain`. */
  changes: readonly string[]
  branch: string
  /** The version that each file names. */
  versions: Readonly<Record<string, string>>
  changelog: string
  /** True if the tag of the version exists. */
  is_tagged: boolean
  /** The generated files that are out of date. */
  stale: readonly string[]
}

/** A check of the sources. `problem` describes the failure and its remedy. Null means that the check passed. */
export type ReleaseCheck = { name: string; problem: string | null }

/** Checks the sources for the release of the version in package.json. */
export function checkRelease(facts: ReleaseFacts): ReleaseCheck[] {
  const { changes, branch, versions, changelog, is_tagged, stale } = facts
  const version = versions['package.json'] ?? ''
  const others = Object.entries(versions).filter(([, other]) => other !== version)
  const section = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}\\n+(?!## )\\S`, 'm')
  const problemIf = (fails: boolean, problem: string) => (fails ? problem : null)
  return [
    {
      name: 'clean tree',
      problem: problemIf(changes.length > 0, `commit or remove these changes: ${changes.join(', ')}`),
    },
    { name: 'on main', problem: problemIf(branch !== 'main', `the branch is ${branch}: release from main`) },
    {
      name: 'version',
      problem: VERSION_FORM.test(version)
        ? problemIf(
            others.length > 0,
            `package.json has ${version}, but ${others.map(([file, other]) => `${file} has ${other}`).join(', ')}: set the same version`,
          )
        : `package.json has the version ${version}: set a version such as 0.2.0`,
    },
    {
      name: 'changelog',
      problem: problemIf(
        !section.test(changelog),
        `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with text: name the section of this release`,
      ),
    },
    {
      name: 'tag',
      problem: problemIf(
        is_tagged,
        `the tag v${version} exists: raise the version, because a released version never changes`,
      ),
    },
    { name: 'generated files', problem: problemIf(stale.length > 0, `run npm run generate: ${stale.join(', ')}`) },
  ]
}

/** Returns the text of SHA256SUMS, which `sha256sum --check` reads. */
export function checksums(files: ReadonlyMap<string, Uint8Array>): string {
  const lines = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
  return lines.join('')
}

if (import.meta.main) process.exitCode = await release(process.argv.slice(2))

async function release(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg !== '--dry-run')) {
    const is_help = args.includes('--help') || args.includes('-h')
    process[is_help ? 'stdout' : 'stderr'].write(USAGE)
    return is_help ? 0 : 2
  }
  const is_dry = args.includes('--dry-run')
  const version = versionIn('package.json')
  const checks = checkRelease(await readFacts(version))
  for (const { name, problem } of checks)
    process.stdout.write(problem === null ? `ok      ${name}\n` : `FAILED  ${name}: ${problem}\n`)
  const is_ready = checks.every(({ problem }) => problem === null)
  if (!is_ready && !is_dry) return 1
  const files = await makeArtefacts(version)
  files.set('SHA256SUMS', Buffer.from(checksums(files)))
  const folder = is_dry ? mkdtempSync(join(tmpdir(), 'malipo-release-')) : join(FOLDER, 'dist')
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes)
  process.stdout.write(`\n${files.get('SHA256SUMS')}\n`)
  if (is_dry) {
    rmSync(folder, { recursive: true })
    process.stdout.write(`Dry run: the program has removed the artefacts, and made no tag v${version}.\n`)
    return is_ready ? 0 : 1
  }
  git('tag', '--annotate', `v${version}`, '--message', `Malipo ${version}`)
  process.stdout.write(
    `The artefacts are in ${folder}, and the tag v${version} exists here. Publish both: git push origin v${version}\n`,
  )
  return 0
}

async function readFacts(version: string): Promise<ReleaseFacts> {
  const files = [
    'package.json',
    'server/package.json',
    'web/package.json',
    'sdk/typescript/package.json',
    'sdk/cli/package.json',
  ]
  const versions = Object.fromEntries(files.map((file) => [file, versionIn(file)]))
  const { info } = JSON.parse(readText('openapi.json')) as { info: { version: string } }
  return {
    changes: git('status', '--porcelain')
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== ''),
    branch: git('rev-parse', '--abbrev-ref', 'HEAD').toString('utf8').trim(),
    versions: {
      ...versions,
      ...sdkVersions(),
      'package-lock.json': versionIn('package-lock.json'),
      'openapi.json': info.version,
    },
    changelog: readText('CHANGELOG.md'),
    is_tagged: git('tag', '--list', `v${version}`).length > 0,
    stale: await staleFiles(),
  }
}

/**
 * Returns the versions in files of the SDKs, the CLI and the plugin, by file. If a file has no version, its value is `none`.
 */
export function sdkVersions(): Record<string, string> {
  const forms: Record<string, RegExp> = {
    'sdk/cli/src/version.ts': /^export const VERSION = '([^']+)'$/m,
    'sdk/php/src/Client.php': /^ {4}public const VERSION = '([^']+)';$/m,
    'sdk/python/pyproject.toml': /^version = "([^"]+)"$/m,
    'sdk/woocommerce/malipo-for-woocommerce/malipo-for-woocommerce.php': /^ \* Version: (\S+)$/m,
    'sdk/python/src/malipo/_version.py': /^VERSION = "([^"]+)"$/m,
  }
  return Object.fromEntries(
    Object.entries(forms).map(([file, form]) => [file, form.exec(readText(file))?.[1] ?? 'none']),
  )
}

/**
 * Makes the artefacts, by file name. The same commit gives the same bytes, except for the Debian package, which the function
 * copies from dist/.
 */
async function makeArtefacts(version: string): Promise<Map<string, Uint8Array>> {
  const name = `malipo-${version}`
  const sdk_folder = mkdtempSync(join(tmpdir(), 'malipo-sdk-'))
  const sdk = await packSdk(sdk_folder)
  const sources = git('archive', '--format=tar', `--prefix=${name}/`, 'HEAD')
  const files = new Map<string, Uint8Array>([
    [`${name}.tar.gz`, gzipSync(sources, { level: 9 })],
    [basename(sdk), readFileSync(sdk)],
    [`${name}.cdx.json`, Buffer.from(`${JSON.stringify(sbomOf(await readLock()), null, 2)}\n`)],
  ])
  rmSync(sdk_folder, { recursive: true })
  const packages = readdirSyncOrNone(join(FOLDER, 'dist')).filter((file) => file.startsWith(`malipo_${version}_`))
  for (const file of packages) files.set(file, readFileSync(join(FOLDER, 'dist', file)))
  if (packages.length === 0)
    process.stdout.write(`note    dist/ has no Debian package malipo_${version}_*.deb, so the release has none\n`)
  return files
}

function readdirSyncOrNone(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // No build has made this folder yet.
  }
}

function versionIn(file: string): string {
  return (JSON.parse(readText(file)) as { version: string }).version
}

function readText(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8')
}

function git(...args: string[]): Buffer {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: FOLDER, maxBuffer: BYTES_MAX })
  if (status === 0) return stdout
  throw new Error(`git ${args[0]} failed: ${error?.message ?? stderr.toString('utf8').trim()}`)
}

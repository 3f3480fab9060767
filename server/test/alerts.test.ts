// Tests the alerts and the dashboard of deploy/monitoring without Prometheus. Each alert has a runbook and two tests, and every
// query names only metrics of the server, or Prometheus' own metric `up`. `npm run alerts` runs the tests of the alerts with
// promtool.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { exposeMachineGauges } from '../src/apps/admin/machine-gauges.ts'
import { createWorld, type World } from './harness.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8')

let world: World
let metrics: Set<string>
before(async () => {
  world = await createWorld()
  world.deps.metrics.addProcessMetrics()
  exposeMachineGauges(world.deps, [])
  await world.post('/v1/collections/wallet-push', { amount: 1000, phone: '0754123001' }, { key: world.live_key })
  await world.work()
  const text = await world.deps.metrics.text()
  metrics = new Set([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) => seriesOf(name, type)))
  // Prometheus itself makes the metric `up`.
  metrics.add('up')
})
after(() => world.close())

const seriesOf = (name: string, type: string | undefined) =>
  type === 'histogram' ? ['_bucket', '_sum', '_count'].map((ending) => `${name}${ending}`) : [name]

/** Returns the unknown metrics of a query: each name that is no known metric, function, label or operator of PromQL. */
function unknownMetrics(query: string): string[] {
  const bare = query.replace(/\{[^}]*\}|"[^"]*"|\[[^\]]*\]/g, ' ').replace(/\b(?:by|without)\s*\([^)]*\)/g, ' ')
  const names = [...bare.matchAll(/\b[a-z_][a-z0-9_]*\b(?!\s*\()/gi)].map(([name]) => name)
  return names.filter((name) => !metrics.has(name) && !['and', 'or', 'unless', 'on', 'e'].includes(name))
}

type Alert = { name: string; expr: string; for: string; severity: string; runbook: string }

function readAlerts(): Alert[] {
  const fields = (text: string, name: string) => new RegExp(`^ +${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
  const parts = read('deploy/monitoring/alerts.yaml')
    .split(/^ {6}- alert: /m)
    .slice(1)
  return parts.map((text) => ({
    name: text.slice(0, text.indexOf('\n')),
    expr: fields(text, 'expr').replace(/^'|'$/g, '').replaceAll("''", "'"),
    for: fields(text, 'for'),
    severity: fields(text, 'severity'),
    runbook: fields(text, 'runbook_url'),
  }))
}

test('each alert has a waiting time, a severity, a runbook section, and tests that the alert fires and stays silent', () => {
  const runbooks = read('docs/operate/runbooks.md')
  const anchors = [...runbooks.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  )
  const tests = read('deploy/monitoring/alerts.test.yaml')
  const alerts = readAlerts()
  assert.ok(alerts.length >= 20)
  for (const alert of alerts) {
    assert.match(alert.for, /^\d+[mh]$/, alert.name)
    assert.match(alert.severity, /^(critical|warning)$/, alert.name)
    const [page, anchor = ''] = alert.runbook.split('#')
    assert.equal(page, 'docs/operate/runbooks.md', alert.name)
    assert.ok(anchors.includes(anchor), `${alert.name}: runbooks.md has no section ${anchor}`)
    const section = runbooks.split(/^## /m)[anchors.indexOf(anchor) + 1] ?? ''
    assert.match(
      section,
      new RegExp(`^\\*\\*Alerts?\\.\\*\\* .*\`${alert.name}\``, 'm'),
      `${anchor} does not name ${alert.name}`,
    )
    for (const name of [`${alert.name} fires`, `${alert.name} is silent without the fault`])
      assert.ok(tests.includes(`- name: '${name}'`), `alerts.test.yaml has no test "${name}"`)
  }
  for (const section of runbooks.split(/^## /m).slice(1))
    for (const part of ['**Alert', '**Meaning.**', '**Confirm.**', '**Do.**', '**Do not**'])
      assert.ok(section.includes(part), `the runbook ${section.slice(0, 30)} has no ${part}`)
})

test('the alerts name only metrics of the server and the metric `up` of Prometheus', () => {
  for (const { name, expr } of readAlerts()) assert.deepEqual(unknownMetrics(expr), [], name)
  assert.deepEqual(unknownMetrics('sum by (le) (rate(malipo_gone_total{a="b"}[5m])) > 2'), ['malipo_gone_total'])
})

type Panel = {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { refId: string; expr: string }[]
}

test('the dashboard has the form of Grafana dashboards, and its queries name only metrics of the server and the metric `up`', () => {
  const dashboard = JSON.parse(read('deploy/monitoring/dashboard.json'))
  assert.equal(typeof dashboard.title, 'string')
  assert.equal(dashboard.schemaVersion, 39)
  assert.deepEqual(Object.keys(dashboard.time), ['from', 'to'])
  assert.equal(dashboard.templating.list[0].type, 'datasource')
  const panels: Panel[] = dashboard.panels
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  for (const panel of panels) {
    const { x, y, w, h } = panel.gridPos
    assert.ok(x >= 0 && w > 0 && h > 0 && x + w <= 24, panel.title)
    const overlaps = panels.filter(
      ({ id, gridPos: at }) => id !== panel.id && at.x < x + w && x < at.x + at.w && at.y < y + h && y < at.y + at.h,
    )
    assert.deepEqual(
      overlaps.map(({ title }) => title),
      [],
      `${panel.title} overlaps`,
    )
    if (panel.type === 'row') continue
    assert.ok(['timeseries', 'stat'].includes(panel.type), panel.title)
    assert.ok((panel.targets ?? []).length > 0, panel.title)
    for (const { expr } of panel.targets ?? []) assert.deepEqual(unknownMetrics(expr), [], `${panel.title}: ${expr}`)
  }
})

test('operators read the names of all queues, and the depth and the age of the queue of payments', async () => {
  const { token } = await world.newSession('SUPER_ADMIN')
  // The `before` hook made this payment and settled it. The test makes the attempt due again.
  const due_at = new Date(world.deps.clock.now().getTime() - 60_000)
  await world.rows('update collection_attempts set due_at = $1', [due_at])
  const { body } = await world.get('/v1/operator/queues', token)
  const names = body.data.items.map(({ queue }: { queue: string }) => queue)
  assert.deepEqual(names, ['payments', 'payouts', 'webhooks', 'messages', 'invoice_reminders'])
  const payments = body.data.items[0]
  assert.ok(payments.due === 1 && payments.oldest_due_s === 60 && payments.is_cut === false, JSON.stringify(payments))
})

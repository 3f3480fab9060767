// Tests the objects of the Helm chart without Helm and without a cluster. `npm run chart` compares them with the objects of
// Helm.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { PROVIDERS } from '../server/src/adapters/providers/registry.ts'
import { fileSettings, listSettings, readConfig } from '../server/src/kernel/lib/index.ts'
import { EXAMPLES } from './chart.ts'
import { CHART, ChartError, type ChartValues, type Manifest, renderChart } from './chart-template.ts'

const ROOT = join(CHART, '../../..')
const SECRETS = fileSettings(PROVIDERS)
/** The longest time in seconds between STOP_DELAY_S and the end of a process. */
const DRAIN_S = 35

type Probe = { httpGet: { path: string; port: string } }
type Container = {
  name: string
  args?: string[]
  env: { name: string; value: string }[]
  ports?: { name: string; containerPort: number }[]
  securityContext: object
  resources: { requests: object; limits: object }
  volumeMounts: { name: string; mountPath: string }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
}
type PodSpec = {
  containers: [Container]
  terminationGracePeriodSeconds: number
  automountServiceAccountToken: boolean
  securityContext: { runAsNonRoot: boolean; runAsUser: number }
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: { podAffinityTerm: Selected }[] } }
  volumes: { name: string; projected?: { sources: { secret: { name: string; items: { key: string }[] } }[] } }[]
}
type Selected = { labelSelector: { matchLabels: Record<string, string> } }
type Workload = Manifest & {
  spec: {
    replicas: number
    selector: Selected['labelSelector']
    template: { metadata: Manifest['metadata']; spec: PodSpec }
  }
}

const rendered = { least: renderChart(EXAMPLES.least, 'pay'), all: renderChart(EXAMPLES.all, 'pay') }
const every = Object.values(rendered).flat()

function find<M extends Manifest>(manifests: readonly Manifest[], kind: string, name: string): M {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)
  assert.ok(found, `the chart has no ${kind} ${name}`)
  return found as M
}

/** Returns the spec of an object without a type of its own. */
const specOf = (manifests: readonly Manifest[], kind: string, name: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: the objects of Kubernetes have no types here.
  find<Manifest & { spec: any }>(manifests, kind, name).spec

const workloads = (manifests: readonly Manifest[]) => [
  find<Workload>(manifests, 'Deployment', 'pay-api'),
  find<Workload>(manifests, 'Deployment', 'pay-worker'),
  find<Workload>(manifests, 'Job', 'pay-migrate'),
]
const containerOf = ({ spec }: Workload) => spec.template.spec.containers[0]
const envOf = (workload: Workload) =>
  Object.fromEntries(containerOf(workload).env.map(({ name, value }) => [name, value]))
const selects = (labels: Record<string, string>, { spec }: Workload) =>
  Object.entries(labels).every(([name, value]) => spec.template.metadata.labels[name] === value)
const serverSettings = (env: Record<string, string>) =>
  readConfig(
    Object.fromEntries(
      Object.entries(env).map(([name, value]) =>
        name.endsWith('_FILE') && name !== 'AUDIT_ANCHOR_FILE' ? [name.slice(0, -5), secretValue(name)] : [name, value],
      ),
    ),
    PROVIDERS,
  )
const secretValue = (name: string) =>
  name.includes('DATABASE_URL')
    ? 'postgresql://malipo@database/malipo?sslmode=verify-full'
    : name === 'SECRET_KEY_FILE'
      ? Buffer.alloc(32, 7).toString('base64')
      : 'secret-of-the-test'

test('the chart makes each object once, and the options add an Ingress and a ServiceMonitor', () => {
  const names = (manifests: readonly Manifest[]) =>
    manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()
  const least = [
    'Deployment pay-api',
    'Deployment pay-worker',
    'Job pay-migrate',
    'NetworkPolicy pay-api',
    'NetworkPolicy pay-metrics',
    'PodDisruptionBudget pay-api',
    'PodDisruptionBudget pay-worker',
    'Service pay-api',
    'Service pay-metrics',
  ]
  assert.deepEqual(names(rendered.least), least)
  assert.deepEqual(names(rendered.all), [...least, 'Ingress pay-api', 'ServiceMonitor pay-metrics'].sort())
  for (const { metadata } of every) {
    assert.equal(metadata.labels['app.kubernetes.io/name'], 'malipo')
    assert.equal(metadata.labels['app.kubernetes.io/instance'], 'pay')
  }
})

test('each environment variable of the chart is a setting, and the server accepts the values of the smallest chart', () => {
  const names = [...listSettings(PROVIDERS).map(({ env }) => env), ...SECRETS.map((name) => `${name}_FILE`)]
  for (const workload of [...workloads(rendered.least), ...workloads(rendered.all)]) {
    const env = envOf(workload)
    assert.equal(Object.keys(env).length, containerOf(workload).env.length, 'no variable has two values')
    assert.deepEqual(
      Object.keys(env).filter((name) => !names.includes(name)),
      [],
    )
    assert.ok(Object.values(env).every((value) => typeof value === 'string'))
  }
  for (const workload of workloads(rendered.least)) {
    const config = serverSettings({ ...envOf(workload), ALLOW_MOCK_IN_PRODUCTION: 'true' })
    assert.equal(config.node_env, 'production')
    assert.equal(config.process, workload.metadata.name === 'pay-migrate' ? 'all' : workload.metadata.name.slice(4))
  }
})

test('each pod mounts the secrets that it names, no object contains a secret value, and only the migration uses the role of the owner', () => {
  for (const manifests of Object.values(rendered)) {
    assert.ok(manifests.every(({ kind }) => kind !== 'Secret' && kind !== 'ConfigMap'))
    for (const workload of workloads(manifests)) {
      const { volumes } = workload.spec.template.spec
      const sources = volumes.flatMap(({ projected }) => projected?.sources ?? [])
      const mounted = sources.flatMap(({ secret }) => secret.items.map(({ key }) => `/run/secrets/malipo/${key}`))
      const env = Object.entries(envOf(workload))
      for (const name of SECRETS) assert.ok(!env.some(([given]) => given === name), name)
      const files = env.filter(([name]) => name.endsWith('_FILE') && name !== 'AUDIT_ANCHOR_FILE')
      assert.ok(files.length >= 3)
      for (const [, path] of files) assert.ok(mounted.includes(path), path)
      const owner = files.some(([name]) => name === 'MIGRATION_DATABASE_URL_FILE')
      assert.equal(owner, workload.kind === 'Job')
      assert.equal(
        mounted.some((path) => /migration-database-url|\/url$/.test(path)),
        owner,
      )
      const { volumeMounts } = containerOf(workload)
      assert.deepEqual(volumeMounts.map(({ name }) => name).sort(), volumes.map(({ name }) => name).sort())
      assert.equal(volumeMounts.find(({ name }) => name === 'secrets')?.mountPath, '/run/secrets/malipo')
    }
  }
  const owner = workloads(rendered.all)[2]?.spec.template.spec.volumes[0]?.projected?.sources[1]?.secret
  assert.deepEqual(owner, { name: 'malipo-owner', items: [{ key: 'url', path: 'url' }] })
  const files = workloads(rendered.all)[0]?.spec.template.spec.volumes[0]?.projected?.sources[0]?.secret.items
  assert.ok(files?.some(({ key }) => key === 'database-ca.crt'))
})

test('each pod runs as user 10001 with a read-only root, no capability, no token of the cluster, and resource limits', () => {
  for (const workload of [...workloads(rendered.least), ...workloads(rendered.all)]) {
    const { securityContext, automountServiceAccountToken } = workload.spec.template.spec
    assert.deepEqual([securityContext.runAsNonRoot, securityContext.runAsUser], [true, 10001])
    assert.equal(automountServiceAccountToken, false)
    assert.deepEqual(containerOf(workload).securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.deepEqual(Object.keys(containerOf(workload).resources), ['requests', 'limits'])
    const written = containerOf(workload).volumeMounts.map(({ mountPath }) => mountPath)
    for (const path of ['/tmp', '/var/lib/malipo']) assert.ok(written.includes(path), path)
  }
  const image = readFileSync(join(ROOT, 'deploy/container/Containerfile'), 'utf8')
  assert.match(image, /^USER 10001:10001$/m)
  assert.match(image, /DATA_DIR=\/var\/lib\/malipo /)
})

test('each selector of a Service, budget, policy and anti-affinity rule selects the intended pods', () => {
  for (const manifests of Object.values(rendered)) {
    const [api, worker, migrate] = workloads(manifests) as [Workload, Workload, Workload]
    const selected = (labels: Record<string, string>) => [api, worker, migrate].filter((one) => selects(labels, one))
    for (const workload of [api, worker]) {
      const { replicas, selector, template } = workload.spec
      assert.ok(replicas >= 2)
      const [first] = template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution
      const budget = specOf(manifests, 'PodDisruptionBudget', workload.metadata.name)
      for (const labels of [
        selector.matchLabels,
        first?.podAffinityTerm.labelSelector.matchLabels,
        budget.selector.matchLabels,
      ])
        assert.deepEqual(selected(labels as Record<string, string>), [workload])
      assert.equal(budget.maxUnavailable, 1)
    }
    assert.deepEqual(selected(specOf(manifests, 'Service', 'pay-api').selector), [api])
    assert.deepEqual(selected(specOf(manifests, 'NetworkPolicy', 'pay-api').podSelector.matchLabels), [api])
    for (const kind of ['Service', 'NetworkPolicy']) {
      const spec = specOf(manifests, kind, 'pay-metrics')
      assert.deepEqual(selected(spec.podSelector?.matchLabels ?? spec.selector), [api, worker, migrate])
    }
  }
})

test('Services, probes and settings name the same ports, and the default HTTP port is that of the server', () => {
  for (const [name, ports] of [
    ['least', { http: 8080, metrics: 9464 }],
    ['all', { http: 9080, metrics: 9090 }],
  ] as const) {
    const manifests = rendered[name]
    const [api, worker] = workloads(manifests) as [Workload, Workload]
    const opened = ({ ports: list = [] }: Container) =>
      Object.fromEntries(list.map((one) => [one.name, one.containerPort]))
    assert.deepEqual(opened(containerOf(api)), ports)
    assert.deepEqual(opened(containerOf(worker)), { metrics: ports.metrics })
    assert.deepEqual([envOf(api).PORT, envOf(api).HOST], [String(ports.http), '0.0.0.0'])
    for (const one of [api, worker])
      assert.deepEqual([envOf(one).METRICS_PORT, envOf(one).METRICS_HOST], [String(ports.metrics), '0.0.0.0'])
    const probes = ({ startupProbe, livenessProbe, readinessProbe }: Container) =>
      [startupProbe, livenessProbe, readinessProbe].map(
        (probe) => probe && `${probe.httpGet.path} ${probe.httpGet.port}`,
      )
    assert.deepEqual(probes(containerOf(api)), ['/healthz http', '/healthz http', '/readyz http'])
    assert.deepEqual(probes(containerOf(worker)), ['/metrics metrics', '/metrics metrics', undefined])
    assert.equal(specOf(manifests, 'Service', 'pay-api').ports[0].targetPort, 'http')
    assert.equal(specOf(manifests, 'Service', 'pay-metrics').ports[0].targetPort, 'metrics')
    assert.equal(specOf(manifests, 'Service', 'pay-metrics').ports[0].port, ports.metrics)
  }
  const port = listSettings(PROVIDERS).find(({ env }) => env === 'PORT')
  assert.equal(parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')).ports.http, Number(port?.default))
})

test('only the peers that the values name reach the metrics, and without names no peer reaches the metrics', () => {
  const ingress = (name: 'least' | 'all', policy: string) => specOf(rendered[name], 'NetworkPolicy', policy).ingress
  assert.deepEqual(ingress('least', 'pay-api'), [{ ports: [{ port: 'http' }] }])
  assert.deepEqual(ingress('least', 'pay-metrics'), [])
  const { apiFrom, metricsFrom } = EXAMPLES.all.networkPolicy as ChartValues
  assert.deepEqual(ingress('all', 'pay-api'), [{ ports: [{ port: 'http' }], from: apiFrom }])
  assert.deepEqual(ingress('all', 'pay-metrics'), [{ ports: [{ port: 'metrics' }], from: metricsFrom }])
})

test('Kubernetes waits longer than a process needs to stop, and does not reduce the number of pods when it replaces pods', () => {
  for (const [name, delay_s] of [
    ['least', 10],
    ['all', 15],
  ] as const) {
    const [api, worker] = workloads(rendered[name]) as [Workload, Workload]
    assert.equal(envOf(api).STOP_DELAY_S, String(delay_s))
    assert.ok(api.spec.template.spec.terminationGracePeriodSeconds >= delay_s + DRAIN_S)
    assert.ok(worker.spec.template.spec.terminationGracePeriodSeconds >= DRAIN_S)
    for (const one of [api, worker])
      assert.deepEqual(specOf(rendered[name], 'Deployment', one.metadata.name).strategy.rollingUpdate, {
        maxSurge: 1,
        maxUnavailable: 0,
      })
  }
  const main = readFileSync(join(ROOT, 'server/src/main.ts'), 'utf8')
  const [, stop_ms = '', give_back_ms = ''] =
    /STOP_MS_MAX = ([\d_]+)[\s\S]*GIVE_BACK_MS_MAX = ([\d_]+)/.exec(main.slice(main.indexOf('const STOP_MS_MAX'))) ?? []
  assert.ok((Number(stop_ms.replace('_', '')) + Number(give_back_ms.replace('_', ''))) / 1000 <= DRAIN_S)
})

test('the migration runs as a hook before an installation and an upgrade, and a later Job replaces the earlier Job', () => {
  const job = workloads(rendered.least)[2] as Workload
  assert.deepEqual(job.metadata.annotations, {
    'helm.sh/hook': 'pre-install,pre-upgrade',
    'helm.sh/hook-weight': '0',
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
  })
  assert.deepEqual(containerOf(job).args, ['server/src/admin.ts', 'migrate', '--apply'])
  // Helm creates the Job before the objects that are no hooks, so the Job uses nothing of the chart.
  const { volumes } = job.spec.template.spec
  assert.deepEqual(volumes.flatMap(({ projected }) => projected?.sources ?? []).length, 2)
  assert.ok(every.every(({ kind, metadata }) => kind === 'Job' || metadata.annotations?.['helm.sh/hook'] === undefined))
})

test('the chart refuses missing and wrong values, and states the reason', () => {
  const without = (change: ChartValues): ChartValues => ({ ...EXAMPLES.least, ...change })
  const { BASE_URL, FOUR_EYES_AMOUNT } = EXAMPLES.least.settings as Record<string, string>
  const refusals: [ChartValues, RegExp][] = [
    [{}, /^image\.repository is empty: set it/],
    [without({ image: { repository: 'r/malipo' } }), /^image\.tag is empty: set it to the version/],
    [without({ secret: {} }), /^secret\.name is empty: make a Secret/],
    [without({ settings: { FOUR_EYES_AMOUNT } }), /^settings\.BASE_URL is empty/],
    [without({ settings: { BASE_URL } }), /^settings\.FOUR_EYES_AMOUNT is empty/],
    [without({ ingress: { enabled: true } }), /^ingress\.host is empty/],
    [without({ ingress: { enabled: true, host: 'h' } }), /^ingress\.tlsSecretName is empty/],
    [without({ settings: { BASE_URL, FOUR_EYES_AMOUNT: 1000000 } }), /\/settings\/FOUR_EYES_AMOUNT must be string/],
    [without({ settings: { BASE_URL, FOUR_EYES_AMOUNT, SECRET_KEY: 'x' } }), /\/settings .*property name/],
    [without({ settings: { BASE_URL, FOUR_EYES_AMOUNT, PORT: '1' } }), /\/settings .*property name/],
    [without({ secret: { name: 's', keys: { SELCOM_SECRET: 'x' } } }), /\/secret\/keys .*property name/],
    [without({ replicas: 3 }), /must NOT have additional properties/],
  ]
  for (const [values, message] of refusals) {
    assert.throws(
      () => renderChart(values, 'pay'),
      (error) => error instanceof ChartError && message.test(error.message),
    )
  }
})

test('the schema names the secrets of the server, and README.md names each value', () => {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'))
  const keys = schema.properties.secret.properties.keys.propertyNames.enum
  assert.deepEqual(keys, SECRETS.filter((name) => name !== 'MIGRATION_DATABASE_URL').sort())
  const refused: string[] = schema.properties.settings.propertyNames.not.enum
  for (const name of SECRETS.flatMap((secret) => [secret, `${secret}_FILE`])) assert.ok(refused.includes(name), name)
  const set = workloads(rendered.least).flatMap((workload) => Object.keys(envOf(workload)))
  for (const name of set) assert.ok(refused.includes(name) || name in (EXAMPLES.least.settings as object), name)
  const readme = readFileSync(join(CHART, 'README.md'), 'utf8')
  for (const [name, value] of Object.entries(parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')))) {
    const parts = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
    for (const path of parts.length === 0 ? [name] : parts.map((part) => `${name}.${part}`))
      assert.ok(readme.includes(`\`${path}\``), path)
  }
  assert.equal(readdirSync(join(CHART, 'templates')).length, 6)
})

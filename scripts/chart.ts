// `npm run chart` renders the Helm chart with Helm and without, and compares the results.

import { spawnSync } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { CHART, type ChartValues, type Manifest, renderChart } from './chart-template.ts'

const PROGRAM = 'helm'
const RELEASE = 'pay'

/** The smallest set of values with which an installation can run. */
const LEAST = {
  image: { repository: 'registry.example.tz/malipo', tag: '0.2.0' },
  settings: { BASE_URL: 'https://pay.example.tz', FOUR_EYES_AMOUNT: '1000000' },
  secret: { name: 'malipo' },
} satisfies ChartValues

/** The values of the comparison. `least` has only the required values, and `all` uses every optional part together. */
export const EXAMPLES: Readonly<Record<'least' | 'all', ChartValues>> = {
  least: LEAST,
  all: {
    image: { ...LEAST.image, pullPolicy: 'Always', pullSecrets: [{ name: 'registry' }] },
    settings: { ...LEAST.settings, PROVIDER: 'selcom', TRUST_PROXY: '10.42.0.0/16', LOG_LEVEL: 'warn' },
    secret: {
      name: 'malipo',
      keys: { SELCOM_API_KEY: 'selcom-api-key', SELCOM_API_SECRET: 'selcom-api-secret', MOCK_SECRET: null },
      files: ['database-ca.crt'],
    },
    migration: { secretName: 'malipo-owner', secretKey: 'url', deadlineSeconds: 7200 },
    api: { replicas: 3, stopDelaySeconds: 15 },
    worker: { replicas: 4 },
    ports: { http: 9080, metrics: 9090 },
    service: { type: 'NodePort', port: 8000 },
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { 'nginx.ingress.kubernetes.io/proxy-body-size': '1m' },
      host: 'pay.example.tz',
      tlsSecretName: 'pay-tls',
    },
    networkPolicy: {
      apiFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
      metricsFrom: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } } }],
    },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    tolerations: [{ key: 'money', operator: 'Exists' }],
  },
}

if (import.meta.main) {
  const problems = Object.entries(EXAMPLES).flatMap(([name, values]) => compareWithHelm(name, values))
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (problems.length > 0) process.exit(1)
  process.stdout.write(`Helm accepts the chart, and renders the same objects as scripts/chart-template.ts.\n`)
}

/** Returns the differences between the objects that Helm makes and those of `renderChart`, or the refusal of Helm. */
function compareWithHelm(name: string, values: ChartValues): string[] {
  const linted = runHelm(['lint', '--strict', CHART, '--values', '-'], values)
  if (linted.status !== 0) return [`helm lint refuses the values ${name}:\n${linted.stdout}${linted.stderr}`]
  const { status, stdout, stderr } = runHelm(['template', RELEASE, CHART, '--values', '-'], values)
  if (status !== 0) return [`helm template refuses the values ${name}:\n${stderr}`]
  const byName = (manifests: Manifest[]) =>
    new Map(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest]))
  const helm = byName(parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Manifest | null) ?? []))
  const own = byName(renderChart(values, RELEASE))
  return [...new Set([...helm.keys(), ...own.keys()])]
    .filter((key) => !isDeepStrictEqual(helm.get(key), own.get(key)))
    .map((key) => `${name}: ${key} differs:\n${JSON.stringify(helm.get(key))}\n${JSON.stringify(own.get(key))}`)
}

function runHelm(parameters: string[], values: ChartValues) {
  const run = spawnSync(PROGRAM, parameters, { input: JSON.stringify(values), encoding: 'utf8' })
  if (run.error === undefined) return run
  process.stderr.write(`${PROGRAM} is missing: put Helm 3 or 4 on the PATH. Debian has no package of it.\n`)
  process.exit(2)
}

// Shows operators the state of the installation: the checks of `admin doctor`.

import { Text } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { Icon } from '../../ui/icons.tsx'
import { texts, useLanguage, useTexts } from '../../ui/language.ts'
import { Table } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Chip, EmptyState, Page, Time, type Tone } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { checkInSwahili } from './system-messages.ts'

type Report = Calls['GET /v1/operator/system']['data']
type Check = Report['checks'][number]

const systemTexts = texts({
  sw: {
    title: 'Hali ya mfumo',
    lead: 'Ukaguzi wa mfumo mzima, kama mchakato unaojibu unavyouona.',
    at: 'Umekaguliwa',
    good: 'Hakuna ukaguzi ulioshindwa.',
    warn: (count: number) => `Hakuna ukaguzi ulioshindwa, lakini kuna maonyo: ${count}.`,
    bad: 'Angalau ukaguzi mmoja umeshindwa.',
    counts: (bad: number, all: number) => `Onyo na hitilafu: ${bad} kati ya kaguzi ${all}`,
    status: 'Hali',
    check: 'Ukaguzi',
    found: 'Kilichoonekana',
    statuses: { ok: 'Sawa', warn: 'Onyo', fail: 'Hitilafu' } as Record<Check['status'], string>,
    empty: 'Hakuna matokeo',
    teach: 'Mchakato haujafanya ukaguzi wowote. Pakia upya ukurasa baada ya nusu dakika.',
    names: {
      versions: 'Matoleo',
      settings: 'Mipangilio',
      disk: 'Nafasi ya diski',
      backups: 'Nakala rudufu',
      database: 'Hifadhidata',
      latency: 'Kasi ya hifadhidata',
      schema: 'Muundo wa hifadhidata',
      roles: 'Haki za hifadhidata',
      durability: 'Uhifadhi salama',
      pages: 'Kurasa za hifadhidata',
      clock: 'Saa',
      replication: 'Hifadhidata za akiba',
      replica: 'Hifadhidata ya kusoma',
      connections: 'Miunganisho',
      books: 'Ukaguzi wa vitabu',
      restore: 'Urejeshaji wa nakala rudufu',
      anchors: 'Ithibati za historia ya shughuli',
      port: 'Mlango wa mtandao',
      callbacks: 'Anwani ya umma',
      tls: 'Cheti cha TLS',
      providers: 'Watoa huduma',
      mail: 'Barua pepe',
      sms: 'SMS',
    } as Record<string, string>,
  },
  en: {
    title: 'System',
    lead: 'The checks of the whole installation, with the results of the process that answers.',
    at: 'Checked',
    good: 'No check failed.',
    warn: (count: number) => `No check failed, but there are warnings: ${count}.`,
    bad: 'At least one check failed.',
    counts: (bad: number, all: number) => `Warnings and failures: ${bad} of ${all} checks`,
    status: 'Status',
    check: 'Check',
    found: 'Found',
    statuses: { ok: 'OK', warn: 'Warning', fail: 'Failed' },
    empty: 'No results',
    teach: 'The process has run no check. Load the page again in half a minute.',
    names: {
      versions: 'Versions',
      settings: 'Settings',
      disk: 'Disk space',
      backups: 'Backups',
      database: 'Database',
      latency: 'Speed of the database',
      schema: 'Schema of the database',
      roles: 'Rights in the database',
      durability: 'Durability',
      pages: 'Pages of the database',
      clock: 'Clocks',
      replication: 'Standby databases',
      replica: 'Read replica',
      connections: 'Connections',
      books: 'Check of the books',
      restore: 'Restore of a backup',
      anchors: 'Anchors of the audit log',
      port: 'Port',
      callbacks: 'Public address',
      tls: 'TLS certificate',
      providers: 'Providers',
      mail: 'E-mail',
      sms: 'SMS',
    },
  },
})

const TONES: Record<Check['status'], Tone> = { ok: 'good', warn: 'warn', fail: 'bad' }
const ORDER: readonly Check['status'][] = ['fail', 'warn', 'ok']

/** Shows the state of the installation in one line, then a row for each check. Failed checks come first. */
export function SystemChecks() {
  const t = useTexts(systemTexts)
  const read = useRead('GET /v1/operator/system', {}, { live: true, keep: true })
  const report = read.data
  const checks = ORDER.flatMap((status) => report?.checks.filter((check) => check.status === status) ?? [])
  const warnings = checks.filter(({ status }) => status === 'warn').length
  const tone = report?.ok === false ? 'bad' : warnings > 0 ? 'warn' : 'good'
  return (
    <Page title={t.title} lead={t.lead}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.isPending && !read.error ? <LoadingRows /> : null}
      {report?.checks.length === 0 ? <EmptyState title={t.empty}>{t.teach}</EmptyState> : null}
      {report ? (
        <div className={`verdict verdict-${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'alert'} size={22} />
          <div>
            <Text role="status" fw={600}>
              {tone === 'warn' ? t.warn(warnings) : t[tone]}
            </Text>
            <Text size="sm">
              {t.counts(checks.filter(({ status }) => status !== 'ok').length, checks.length)} · {t.at}:{' '}
              <Time time={report.checked_at} />
            </Text>
          </div>
        </div>
      ) : null}
      {checks.length > 0 ? (
        <Table
          label={t.title}
          rows={checks}
          rowKey={(check) => check.name}
          columns={[
            {
              label: t.status,
              show: (check) => <Chip tone={TONES[check.status]}>{t.statuses[check.status]}</Chip>,
            },
            { label: t.check, show: (check) => <strong>{t.names[check.name] ?? check.name}</strong> },
            { label: t.found, show: (check) => <Found message={check.message} />, wide: true },
          ]}
        />
      ) : null}
    </Page>
  )
}

/** Shows the message of a check. A message without a translation stays in English. */
function Found({ message }: { message: string }) {
  const translated = useLanguage() === 'sw' ? checkInSwahili(message) : null
  return translated === null ? <span lang="en">{message}</span> : translated
}

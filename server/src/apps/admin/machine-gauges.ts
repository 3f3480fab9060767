// Makes gauges for /metrics from data outside the database: free disk space, the clock of the machine, the last backup, and the
// ends of certificates.

import type { Deps } from '../../kernel/db/index.ts'
import { readBackupTime, readDisk } from './doctor-machine.ts'
import { readCertificateEnd } from './doctor-network.ts'

/** The longest time in milliseconds for which a scrape waits for the disks and the backup. */
const WAIT_MS = 500
/** The shortest time in milliseconds between two reads of the disks and of the backup. */
const FRESH_MS = 10_000
/**
 * The shortest time in milliseconds between two reads of the certificates. Each read opens one connection to each public
 * address.
 */
const CERTIFICATE_EVERY_MS = 3_600_000

/** The parts of `Deps` that the gauges use. */
type GaugeDeps = Pick<Deps, 'clock' | 'clock_ahead_ms' | 'config' | 'metrics'>

/**
 * Adds the gauges. A read delays a scrape by at most `WAIT_MS`. If a read of a disk or a certificate fails, its gauge keeps the
 * old value. `folders` are the folders whose disks the gauges show.
 */
export function exposeMachineGauges(deps: GaugeDeps, folders: readonly string[]): void {
  const readDisks = diskReader(deps, folders)
  const readBackup = backupReader(deps)
  const readCertificates = certificateReader(deps)
  const beginMachine = atMostEvery(FRESH_MS, () => Promise.all([readDisks(), readBackup()]))
  const beginCertificates = atMostEvery(CERTIFICATE_EVERY_MS, readCertificates)
  const clock_ahead = deps.metrics.gauge({
    name: 'malipo_clock_ahead_seconds',
    help: 'How far the clock of the machine of this process is ahead of the clock of the database. Negative: behind.',
  })()
  deps.metrics.beforeScrape(async () => {
    clock_ahead.set(deps.clock_ahead_ms() / 1_000)
    void beginCertificates()
    const late = Promise.withResolvers<void>()
    const cancel = deps.clock.after(WAIT_MS, late.resolve)
    await Promise.race([beginMachine(), late.promise])
    cancel()
  })
}

/**
 * Returns a function that starts a read. If a read is running, or the last one began less than `pause_ms` ago, the function
 * starts none. Its promise never rejects.
 */
function atMostEvery(pause_ms: number, read: () => Promise<unknown>): () => Promise<void> {
  let began_at = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null
  return () => {
    if (running !== null) return running
    if (performance.now() - began_at < pause_ms) return Promise.resolve()
    began_at = performance.now()
    running = read()
      .then(
        () => {},
        () => {},
      )
      .finally(() => {
        running = null
      })
    return running
  }
}

function diskReader({ metrics }: GaugeDeps, folders: readonly string[]): () => Promise<void> {
  const [free, size] = [
    { name: 'malipo_disk_free_bytes', help: 'Free space of the disk with a folder of this process, in bytes.' },
    { name: 'malipo_disk_size_bytes', help: 'Size of the disk with a folder of this process, in bytes.' },
  ].map((spec) => metrics.gauge({ ...spec, labels: ['folder'], series_max: 4 }))
  return async () => {
    for (const folder of folders) {
      const { free_bytes, size_bytes } = await readDisk(folder)
      free?.(folder).set(free_bytes)
      size?.(folder).set(size_bytes)
    }
  }
}

function backupReader({ config, metrics }: GaugeDeps): () => Promise<void> {
  const backup = metrics.gauge({
    name: 'malipo_backup_timestamp_seconds',
    help: 'Time of the file BACKUP_STATUS_FILE, which the backup job writes, in seconds since 1970. 0: the file is missing. No value: the setting is empty.',
  })
  return async () => {
    if (config.backup_status_file === '') return
    const ended = await readBackupTime(config.backup_status_file)
    backup().set((ended?.getTime() ?? 0) / 1_000)
  }
}

function certificateReader({ config, metrics }: GaugeDeps): () => Promise<unknown> {
  const ends = metrics.gauge({
    name: 'malipo_certificate_expires_timestamp_seconds',
    help: 'End of the certificate of a public address, as this process reads it, in seconds since 1970. No value: this process cannot reach the address.',
    labels: ['host'],
    series_max: 4,
  })
  const addresses = [config.base_url, config.pay_url, config.operator_url].filter((url) => url.startsWith('https:'))
  const hosts = new Map(addresses.map((url) => [new URL(url).host, new URL(url)]))
  return () =>
    Promise.allSettled(
      [...hosts].map(async ([host, { hostname, port }]) => {
        const end = await readCertificateEnd(hostname.replace(/^\[|\]$/g, ''), Number(port || 443))
        ends(host).set(end.getTime() / 1_000)
      }),
    )
}

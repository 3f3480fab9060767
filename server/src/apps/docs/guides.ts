// Lists the guides, which are the Markdown files of docs/guides, and reads them.

import { readFileSync } from 'node:fs'
import type { Language } from '../../kernel/lib/index.ts'

/** A guide: `name` is its file without the ending and its address below /docs. */
export type Guide = {
  name: string
  group: string
  language: Language
  file: string
  translates?: string
  label?: string
}

const guide = (group: string, name: string, language: Language = 'en'): Guide => ({
  name,
  group,
  language,
  file: `docs/guides/${name}.md`,
})

/** The groups of guides in the order of the navigation. The reference of the API follows them. */
export const GUIDES: readonly Guide[] = [
  guide('Start', 'quickstart'),
  { ...guide('Start', 'kuanza', 'sw'), translates: 'quickstart' },
  ...['authentication', 'sandbox', 'go-live'].map((name) => guide('Start', name)),
  ...['payments', 'pages', 'invoices', 'withdrawals', 'webhooks'].map((name) => guide('Guides', name)),
  // The reference has the page /docs/events.
  { ...guide('Guides', 'events'), name: 'reading-events' },
  ...['idempotency', 'errors', 'mobile-apps', 'reconciliation', 'requests', 'portal'].map((name) =>
    guide('Guides', name),
  ),
]

const sdk = (name: string, label: string): Guide => ({
  name: `sdk-${name}`,
  group: 'SDKs',
  language: 'en',
  file: `sdk/${name}/README.md`,
  label,
})

/** The pages of the SDKs, which follow the guides. */
export const SDK_GUIDES: readonly Guide[] = [
  sdk('typescript', 'TypeScript and JavaScript'),
  sdk('php', 'PHP'),
  sdk('python', 'Python'),
]

/** The pages after the reference of the API. */
export const VERSION_GUIDES: readonly Guide[] = [
  guide('Versions', 'versions'),
  { name: 'changelog', group: 'Versions', language: 'en', file: 'CHANGELOG.md' },
]

/** Reads the text of a guide. The folder of the program contains the file. */
export function readGuide({ file }: Guide): string {
  return readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')
}

/** What a guide says of this installation: its address, and the brand of its headers and keys. */
export type InstallationFacts = { base_url: string; header_brand: string; sandbox_prefix: string; live_prefix: string }

/** Puts the address and the brand of this installation in the place of those of the files. */
export function localised(
  markdown: string,
  { base_url, header_brand, sandbox_prefix, live_prefix }: InstallationFacts,
): string {
  return markdown
    .replaceAll('http://127.0.0.1:8080', base_url)
    .replaceAll('X-Service-', `X-${header_brand}-`)
    .replaceAll('service_sandbox_', sandbox_prefix)
    .replaceAll('service_live_', live_prefix)
}

/** Returns the title of a page: its first heading. */
export function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? ''
}

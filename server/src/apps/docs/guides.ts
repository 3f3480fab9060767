// Lists the guides, which are Markdown files of the repository, and reads them.

import { readFileSync } from 'node:fs'
import type { Language } from '../../kernel/lib/index.ts'

/**
 * A guide. Its address is /docs/`name`, and `file` is its path in the repository. `translates` is the name of the English
 * guide.
 */
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

/** The guides in the order of the navigation. The API reference follows them. */
export const GUIDES: readonly Guide[] = [
  guide('Start', 'quickstart'),
  { ...guide('Start', 'kuanza', 'sw'), translates: 'quickstart' },
  ...['authentication', 'sandbox', 'go-live'].map((name) => guide('Start', name)),
  ...['payments', 'pages', 'invoices', 'withdrawals', 'webhooks'].map((name) => guide('Guides', name)),
  // The guide has another name than its file, because /docs/events is the page of the reference.
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

/** The READMEs of the SDKs, in the order of the navigation. */
export const SDK_GUIDES: readonly Guide[] = [
  sdk('typescript', 'TypeScript and JavaScript'),
  sdk('php', 'PHP'),
  sdk('python', 'Python'),
]

/** The pages that follow the API reference in the navigation. */
export const VERSION_GUIDES: readonly Guide[] = [
  guide('Versions', 'versions'),
  { name: 'changelog', group: 'Versions', language: 'en', file: 'CHANGELOG.md' },
]

/** Reads the Markdown of a guide from the folder of the program. */
export function readGuide({ file }: Guide): string {
  return readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')
}

/** The address, the brand of the headers, and the prefixes of the keys of this installation. */
export type InstallationFacts = { base_url: string; header_brand: string; sandbox_prefix: string; live_prefix: string }

/** Replaces the address, the header brand and the key prefixes in a file with those of this installation. */
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

/**
 * Returns the title of a page: its first heading of level 1. If the page has no such heading, returns an empty text.
 */
export function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? ''
}

// Defines the settings of the anchors of the audit log: their file and their URL.

import { setting } from './setting.ts'

const receiver = (value: string): string => {
  if (value === '') return ''
  const parsed = URL.parse(value)
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new Error('must be a URL that starts with https:// (or http:// outside production)')
  if (parsed.username !== '' || parsed.password !== '') throw new Error('must hold no user name or password')
  return value
}

const path = (value: string): string => {
  if (value !== value.trim() || /\p{Cc}/u.test(value))
    throw new Error('must be the path of a file without spaces at its ends and without control characters, or off')
  return value
}

/** The settings of the anchors of the audit log, for the table of all settings. */
export const auditSettings = {
  audit_anchor_file: setting(
    'AUDIT_ANCHOR_FILE',
    '',
    path,
    'File to which the worker appends a signed anchor of the audit log each hour. Empty: audit-anchors.jsonl in DATA_DIR. off: this process writes no file.',
  ),
  audit_anchor_url: setting(
    'AUDIT_ANCHOR_URL',
    '',
    receiver,
    'URL to which the worker also sends each anchor by POST, at a public address as for webhooks. Empty: the worker sends none.',
    { secret: true },
  ),
} as const

/** Lists the settings of anchors that production refuses, with the names of their variables. */
export function insecureAnchors({ audit_anchor_url }: { audit_anchor_url: string }): string[] {
  if (audit_anchor_url === '' || audit_anchor_url.toLowerCase().startsWith('https://')) return []
  return ['AUDIT_ANCHOR_URL must begin with https:// in production']
}

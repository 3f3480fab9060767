// Defines the placement of each table for a database that Citus distributes over several machines. On one machine, the
// placements have no effect. placement-rules.ts checks the schema against the placements.

/**
 * The machines that store the rows of a table. `merchant`: distributed by merchant_id, with all other rows of the merchant.
 * `own`: distributed by another column. `reference`: a small table with a copy on every machine. `local`: on one machine, the
 * coordinator.
 */
export type Placement =
  | { readonly kind: 'merchant' | 'reference' | 'local' }
  | { readonly kind: 'own'; readonly column: string }

const all = (placement: Placement, ...tables: string[]) =>
  tables.map((table): [string, Placement] => [table, placement])

/**
 * The placement of every table, in the order in which Citus creates the tables. A foreign key refers to a reference table or to
 * a table of the same kind.
 */
export const PLACEMENTS: ReadonlyMap<string, Placement> = new Map([
  // The server reads these tables before it has identified the merchant, or joins them with the rows of every merchant.
  ...all({ kind: 'reference' }, 'merchants', 'users', 'api_keys', 'members', 'payout_pauses', 'network_help'),
  ...all({ kind: 'reference' }, 'saved_reasons'),
  ...all({ kind: 'reference' }, 'pricing_rules'),
  ...all({ kind: 'merchant' }, 'idempotency_keys', 'list_counts', 'retention_marks'),
  ...all({ kind: 'merchant' }, 'audit_addresses', 'audit_anchored_chains', 'audit_chains', 'audit_log'),
  ...all({ kind: 'merchant' }, 'ledger_accounts', 'ledger_transfers', 'balance_marks'),
  ...all(
    { kind: 'merchant' },
    'outbox_messages',
    'webhook_attempts',
    'webhook_configs',
    'webhook_deliveries',
    'unsent_events',
  ),
  ...all(
    { kind: 'merchant' },
    'api_key_usage',
    'four_eyes_sums',
    'ip_addresses',
    'member_history',
    'merchant_logos',
    'operator_decisions',
  ),
  ...all({ kind: 'merchant' }, 'collections', 'collection_attempts', 'collection_history', 'collection_metadata'),
  ...all({ kind: 'merchant' }, 'collection_days', 'collection_days_stale', 'collection_days_until', 'held_collections'),
  ...all(
    { kind: 'merchant' },
    'payment_links',
    'payment_link_metadata',
    'invoice_numbers',
    'invoices',
    'invoice_metadata',
  ),
  ...all(
    { kind: 'merchant' },
    'withdrawals',
    'withdrawal_approvals',
    'withdrawal_days',
    'withdrawal_days_until',
    'withdrawal_history',
    'withdrawal_metadata',
    'payouts',
    'member_notices',
    'notices_queued',
    'saved_recipients',
    'recipient_name_checks',
  ),
  ...all({ kind: 'merchant' }, 'adjustments', 'request_packs', 'requests'),
  // The server stores a callback before it has identified the merchant.
  ...all({ kind: 'own', column: 'dedupe_key' }, 'provider_callbacks'),
  // These tables count events of a phone or an address over all merchants.
  ...all({ kind: 'own', column: 'subject' }, 'payer_tries', 'phone_prompts', 'recipient_messages'),
  // Before the server matches a line of a provider statement with a payment or payout, the line has no merchant.
  ...all({ kind: 'own', column: 'subject' }, 'statement_lines'),
  ...all({ kind: 'local' }, 'statements', 'reconciliation_exceptions', 'reconciliation_runs'),
  // The tables of the built-in identity provider: a person signs in before the server has identified the merchant.
  ...all({ kind: 'local' }, 'console_sessions', 'signing_keys', 'credentials', 'passkey_challenges', 'passkeys'),
  ...all({ kind: 'local' }, 'second_steps', 'recovery_codes', 'mailed_links', 'sign_in_attempts', 'identity_records'),
  // The ends of all audit chains, the results of scheduled checks, and the state of processes and of the schema.
  ...all({ kind: 'local' }, 'audit_anchors', 'audit_anchor_state', 'verify_runs', 'backup_checks', 'readiness_probes'),
  ...all({ kind: 'local' }, 'provider_calls', 'schema_migrations', 'vault_canary'),
])

/** The column by which Citus distributes a table. Null means a reference table or a local table. */
export function distributionColumn(placement: Placement): string | null {
  if (placement.kind === 'merchant') return 'merchant_id'
  return placement.kind === 'own' ? placement.column : null
}

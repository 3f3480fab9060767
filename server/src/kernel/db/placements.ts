// Where each table goes if the database of a platform is spread over several machines with Citus. One machine needs none of this;
// placement-rules.ts keeps the schema within the placements.

/**
 * Where the rows of a table are stored. `merchant`: distributed by merchant_id, next to all other rows of the merchant. `own`:
 * distributed by another column. `reference`: a small table with a copy on every machine. `local`: on one machine, the coordinator.
 */
export type Placement =
  | { readonly kind: 'merchant' | 'reference' | 'local' }
  | { readonly kind: 'own'; readonly column: string }

const all = (placement: Placement, ...tables: string[]) =>
  tables.map((table): [string, Placement] => [table, placement])

/** The placement of every table. The order is the order of creation on Citus: a foreign key refers to an earlier kind. */
export const PLACEMENTS: ReadonlyMap<string, Placement> = new Map([
  // Read before the merchant is known, or joined with the rows of every merchant.
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
    'withdrawal_history',
    'withdrawal_metadata',
    'payouts',
    'member_notices',
    'notices_queued',
    'saved_recipients',
    'recipient_name_checks',
  ),
  ...all({ kind: 'merchant' }, 'adjustments', 'request_packs', 'requests'),
  // The server stores a callback before it knows the merchant.
  ...all({ kind: 'own', column: 'dedupe_key' }, 'provider_callbacks'),
  // Counters of a phone or an address over all merchants.
  ...all({ kind: 'own', column: 'subject' }, 'payer_tries', 'phone_prompts', 'recipient_messages'),
  // A line of a provider statement belongs to no merchant until the server matches the line with a payment or payout.
  ...all({ kind: 'own', column: 'subject' }, 'statement_lines'),
  ...all({ kind: 'local' }, 'statements', 'reconciliation_exceptions', 'reconciliation_runs'),
  // The built-in identity provider: a person signs in before the server knows the merchant.
  ...all({ kind: 'local' }, 'console_sessions', 'signing_keys', 'credentials', 'passkey_challenges', 'passkeys'),
  ...all({ kind: 'local' }, 'second_steps', 'recovery_codes', 'mailed_links', 'sign_in_attempts', 'identity_records'),
  // The ends of all audit chains, the results of scheduled checks, and the state of processes and of the schema.
  ...all({ kind: 'local' }, 'audit_anchors', 'audit_anchor_state', 'verify_runs', 'backup_checks', 'readiness_probes'),
  ...all({ kind: 'local' }, 'provider_calls', 'schema_migrations', 'vault_canary'),
])

/** The column by which a table is distributed. Null for a reference table and a local table. */
export function distributionColumn(placement: Placement): string | null {
  if (placement.kind === 'merchant') return 'merchant_id'
  return placement.kind === 'own' ? placement.column : null
}

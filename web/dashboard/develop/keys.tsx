// Shows the API keys of the business: scopes, last use, rotation and revocation.

import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, hasNoRecord, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Chip, EmptyState, Mono, Page, PageButton, Time } from '../../ui/parts.tsx'
import { useEnvironmentPath, useHasRole, useMerchantAccess } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import { type ApiKeyRow, type KeyAction, KeyQuestion } from './key-question.tsx'
import { KeyShown, type Made } from './key-shown.tsx'
import { keysTexts } from './keys-texts.ts'
import { useLiveKeyObstacles } from './live-key-obstacles.ts'
import { scopeTexts } from './scopes.ts'

/**
 * Shows the keys to every member. Administrators and developers can rotate and revoke a key. After a rotation, the page shows
 * the new key once.
 */
export function ApiKeys() {
  const t = useTexts(keysTexts)
  const at = useEnvironmentPath()
  const may = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const { environment } = useMerchantAccess()
  const closed = useLiveKeyObstacles().length > 0
  const [action, setAction] = useState<KeyAction | null>(null)
  const [made, setMade] = useState<Made | null>(null)
  const [message, setMessage] = useState('')
  const filters: ListFilter[] = [{ name: 'status', label: t.status, kind: 'choice', choices: Object.entries(t.state) }]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/merchant/api-keys', { query: list.query }, { live: true, keep: true })
  if (made !== null) return <KeyShown made={made} done={() => setMade(null)} />
  const make = may ? (
    <PageButton to={at('keys/new')}>{environment === 'live' && !closed ? t.make_live : t.make}</PageButton>
  ) : null
  const teach = environment === 'sandbox' ? t.teach : closed ? t.teach_closed : t.teach_live
  const columns: Column<ApiKeyRow>[] = [
    { label: t.name, show: (row) => <strong>{row.name}</strong> },
    {
      label: t.key,
      show: (row) => (
        <Mono>
          {row.key_prefix}…{row.key_last4}
        </Mono>
      ),
    },
    { label: t.scopes, show: (row) => <Allowed row={row} />, wide: true },
    { label: t.created, show: (row) => <Time time={row.created_at} /> },
    { label: t.used, show: (row) => (row.last_used_at === null ? t.unused : <Time time={row.last_used_at} />) },
    { label: t.status, show: (row) => <KeyStatus row={row} /> },
    ...(may ? [{ label: t.acts, show: (row: ApiKeyRow) => <KeyActions row={row} ask={setAction} /> }] : []),
  ]
  return (
    <Page key="list" title={t.title} lead={t.lead} actions={hasNoRecord(read, list) ? null : make}>
      <StatusMessage>{message}</StatusMessage>
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.id}
        empty={
          <EmptyState title={t.empty} action={make}>
            {may ? teach : t.read_only}
          </EmptyState>
        }
      />
      <KeyQuestion action={action} close={() => setAction(null)} message={setMessage} show={setMade} />
    </Page>
  )
}

function KeyStatus({ row }: { row: ApiKeyRow }) {
  const t = useTexts(keysTexts)
  return (
    <>
      <Chip tone={row.status === 'active' ? 'good' : 'plain'}>{t.state[row.status]}</Chip>
      {row.status === 'active' && row.expires_at !== null ? (
        <Text size="xs" c="dimmed">
          {t.expires} <Time time={row.expires_at} />
        </Text>
      ) : null}
    </>
  )
}

function Allowed({ row }: { row: ApiKeyRow }) {
  const t = useTexts(keysTexts)
  const words = useTexts(scopeTexts)
  return (
    <details className="disclosed one-line">
      <summary>
        {t.scopes}: {row.scopes.length}
      </summary>
      <ul className="numbered">
        {row.scopes.map((scope) => (
          <li key={scope}>
            {words.scope[scope] ?? scope} <Mono>{scope}</Mono>
          </li>
        ))}
        <li>{row.ip_whitelist_enabled ? t.from_listed : t.from_any}</li>
      </ul>
    </details>
  )
}

function KeyActions({ row, ask }: { row: ApiKeyRow; ask: (action: KeyAction) => void }) {
  const t = useTexts(keysTexts)
  if (row.status !== 'active') return <>–</>
  const button = (act: KeyAction['act']) => (
    <Button size="xs" variant="default" aria-label={`${t[act]}: ${row.name}`} onClick={() => ask({ act, row })}>
      {t[act]}
    </Button>
  )
  return (
    <Group gap="xs">
      {button('rotate')}
      {button('revoke')}
    </Group>
  )
}

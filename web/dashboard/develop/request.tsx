// Shows one API request: the stored data, and a link to the record that the request created or named.

import { Anchor, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { CopyButton, FactList, Mono, Page, PageLink, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showDuration } from '../../ui/show.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { Status } from './requests.tsx'
import { requestsTexts } from './requests-texts.ts'

type Logged = Calls['GET /v1/merchant/requests/{id}']['data']

/**
 * Shows the request whose id is in the address. The page does not read the request again every few seconds, because the log
 * only deletes from a stored request.
 */
export function RequestPage() {
  const t = useTexts(requestsTexts)
  const { request_id: id } = useParams({ strict: false }) as { request_id: string }
  const read = useRead('GET /v1/merchant/requests/{id}', { params: { id } })
  const row = read.data
  if (row === undefined) {
    return (
      <Page title={t.one}>
        {read.error ? <Problem error={read.error} retry={() => void read.refetch()} /> : <LoadingRows />}
      </Page>
    )
  }
  return (
    <Page
      record
      title={`${row.method ?? ''} ${row.path ?? ''}`}
      lead={
        <>
          <Status status={row.status} /> <Time time={row.at} />
        </>
      }
    >
      <RequestFacts row={row} />
      {row.bodies_dropped ? <Text>{t.dropped}</Text> : null}
      <Body title={t.sent} text={row.request_body} cut={row.request_body_cut} />
      <Body title={t.answered} text={row.response_body} cut={row.response_body_cut} />
    </Page>
  )
}

function RequestFacts({ row }: { row: Logged }) {
  const t = useTexts(requestsTexts)
  const language = useLanguage()
  const at = useEnvironmentPath()
  const made = madeBy(row)
  const mono = (text: string | null | undefined) => (text ? <Mono>{text}</Mono> : null)
  return (
    <section className="panel">
      <Title order={2}>{t.facts}</Title>
      <FactList
        facts={[
          [t.took, row.duration_ms === null ? null : showDuration(row.duration_ms)],
          [t.error, mono(row.error_code)],
          [t.key, row.key_name],
          [t.address, mono(row.address)],
          [t.agent, row.user_agent],
          [t.once, mono(row.idempotency_key)],
          [t.query, mono(row.query)],
          [t.reference, row.reference],
          made === null
            ? [t.resource, mono(row.resource_id)]
            : [
                t.resource,
                <PageLink key="made" to={at(made.to)}>
                  {t.open[made.kind]}
                </PageLink>,
              ],
          row.request_id === null
            ? null
            : [
                t.request_id,
                <span key="id">
                  <Mono>{row.request_id}</Mono> <CopyButton text={row.request_id} />
                </span>,
              ],
        ]}
      />
      {row.error_code === null ? null : (
        <Text size="sm" mt="sm">
          {t.why}{' '}
          <Anchor href={`/docs/errors?lang=${language}#${row.error_code}`} target="_blank" rel="noreferrer">
            {t.docs}
          </Anchor>
        </Text>
      )}
    </section>
  )
}

function Body({ title, text, cut }: { title: string; text: string | null; cut: boolean }) {
  const t = useTexts(requestsTexts)
  const shown = pretty(text)
  return (
    <section className="panel">
      <Title order={2}>{title}</Title>
      <Stack gap="sm">
        {shown === null ? (
          <Text size="sm">{t.none}</Text>
        ) : (
          <>
            <pre className="body">{shown}</pre>
            {cut ? <Text size="sm">{t.cut}</Text> : null}
            <span>
              <CopyButton text={shown} />
            </span>
          </>
        )}
      </Stack>
    </section>
  )
}

/** Formats JSON. If the text is not JSON, such as a cut body, returns the text unchanged. */
function pretty(text: string | null): string | null {
  if (text === null || text === '') return null
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

type ResourceKind = keyof (typeof requestsTexts)['sw']['open']
const PAGES: readonly (readonly [path: RegExp, kind: ResourceKind, page: string])[] = [
  [/^\/v1\/invoices\/[^/]+\/payment-link$/, 'links', 'links'],
  [/^\/v1\/collections/, 'collections', 'collections'],
  [/^\/v1\/payment-links/, 'links', 'links'],
  [/^\/v1\/invoices/, 'invoices', 'invoices'],
  [/^\/v1\/(sandbox\/)?disbursements/, 'withdrawals', 'withdrawals'],
  [/^\/v1\/merchant\/webhook-deliveries/, 'deliveries', 'webhooks/deliveries'],
]

/**
 * Returns the page of the record that a request created or named. Null means that the request has no such record, or that the
 * record has no page.
 */
function madeBy({ path, resource_id }: Logged): { kind: ResourceKind; to: string } | null {
  if (path === null) return null
  const reference = /^\/v1\/transactions\/(TXN-\w+)$/.exec(path)?.[1]
  if (reference !== undefined) return { kind: 'transactions', to: `transactions/${reference}` }
  if (resource_id === null) return null
  const [, kind, page] = PAGES.find(([form]) => form.test(path)) ?? []
  return kind === undefined ? null : { kind, to: `${page}/${resource_id}` }
}

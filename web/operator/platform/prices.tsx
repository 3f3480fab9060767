// Edits the price list of a merchant. The operator changes the list, previews the fees of sample payments and withdrawals, and
// then applies the list.

import '../../ui/choices.css'
import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useCall, useRead } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { LANGUAGES, useTexts } from '../../ui/language.ts'
import { Table } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Amount, Page, PageButton } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../ui/words.ts'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'
import { useDestinationName } from '../operator.ts'
import { DEFAULT_RULE } from '../words.ts'
import { merchantsTexts } from './merchants-texts.ts'

type RuleBody = Calls['GET /v1/operator/merchants/{merchant_id}']['data']['rules'][number]
type Preview = Calls['POST /v1/operator/merchants/{merchant_id}/pricing/preview']['data']
type PricesBody = Calls['PUT /v1/operator/merchants/{merchant_id}/pricing']['body']
/** A rule as texts, as the operator typed it. An empty text means any method or any destination. */
type RuleFields = Omit<RuleBody, 'id' | 'valid_from' | 'method' | 'destination_code' | 'destination_known'> & {
  method: string
  destination_code: string
}

const METHODS = {
  withdrawal: ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'],
  collection: ['wallet_push', 'provider_pesa', 'qr'],
} as const

const NEW: RuleFields = {
  flow: 'withdrawal',
  method: '',
  destination_code: '',
  percentage: '0.00',
  flat_fee: '0.00',
  processor_charge: '0.00',
  processor_fee_pass_through: false,
  label: '',
}

/** Shows the editor to operators with the duty `platform`. */
export function PriceEditor() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const t = useTexts(merchantsTexts)
  const read = useRead('GET /v1/operator/merchants/{merchant_id}', { params: { merchant_id: id } })
  const back = (
    <PageButton to={`merchants/${id}`} variant="default">
      {t.back}
    </PageButton>
  )
  return (
    <Page title={t.prices} lead={read.data?.name} actions={back}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.isPending && !read.error ? <LoadingRows /> : null}
      {read.data ? (
        <ForDuty duty="platform" note>
          <EditPrices merchant_id={id} rules={read.data.rules} />
        </ForDuty>
      ) : null}
    </Page>
  )
}

const DEFAULT_LABELS: readonly string[] = LANGUAGES.map((language) => merchantsTexts[language].default_rule)

const typed = (
  { id: _id, valid_from: _since, destination_known: _known, method, destination_code, ...rule }: RuleBody,
  default_rule: string,
): RuleFields => ({
  ...rule,
  label: rule.label === DEFAULT_RULE ? default_rule : rule.label,
  method: method ?? '',
  destination_code: destination_code ?? '',
})

function ruleBody(rules: readonly RuleFields[]): PricesBody {
  const sent = rules.map(({ method, destination_code, ...rule }) => ({
    ...rule,
    label: DEFAULT_LABELS.includes(rule.label) ? DEFAULT_RULE : rule.label,
    method: method === '' ? null : method,
    destination_code: destination_code.trim() === '' ? null : destination_code.trim(),
  }))
  return { rules: sent } as PricesBody
}

function EditPrices({ merchant_id, rules }: { merchant_id: string; rules: readonly RuleBody[] }) {
  const t = useTexts(merchantsTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const put = useAction('PUT /v1/operator/merchants/{merchant_id}/pricing')
  const [preview, setPreview] = useState<{ of: string; rows: Preview['rows'] } | null>(null)
  const [looking, setLooking] = useState<unknown>(null)
  const [notice, setNotice] = useState<string | null>(null)
  const { form, submit, forget, error, sending } = useDraft({
    name: `prices.${merchant_id}`,
    initial: { rules: rules.length === 0 ? [NEW] : rules.map((rule) => typed(rule, t.default_rule)) },
  })
  const params = { merchant_id }
  const now = JSON.stringify(form.values.rules)
  const seen = preview?.of === now
  const look = async () => {
    setLooking(null)
    try {
      const body = ruleBody(
        form.values.rules,
      ) as Calls['POST /v1/operator/merchants/{merchant_id}/pricing/preview']['body']
      const data = await call('POST /v1/operator/merchants/{merchant_id}/pricing/preview', { params, body })
      setPreview({ of: now, rows: data.rows })
    } catch (thrown) {
      setLooking(thrown)
    }
  }
  const send = submit(async (values, once) => {
    await put.mutateAsync({ params, body: ruleBody(values.rules), once })
    setNotice(t.put_done)
    setPreview(null)
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text>{t.prices_text}</Text>
        {form.values.rules.map((rule, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no id until the rule is in force
          <RuleFields key={i} {...{ form, rule, i }} />
        ))}
        <Group gap="sm">
          <Button variant="default" onClick={() => form.insertListItem('rules', NEW)}>
            {t.add_rule}
          </Button>
          <Button variant={seen ? 'default' : 'filled'} onClick={() => void look()}>
            {t.preview}
          </Button>
        </Group>
        <Unpriced rules={form.values.rules} />
        <Problem error={looking} retry={() => void look()} />
        {preview !== null && seen ? <Costs rows={preview.rows} /> : null}
        <Notice text={notice} />
        <Problem error={error} />
        <Group gap="sm">
          <Button type="submit" loading={sending} disabled={!seen}>
            {t.put}
          </Button>
          <PageButton to={`merchants/${merchant_id}`} variant="default" onClick={forget}>
            {parts.cancel}
          </PageButton>
          {seen ? null : <Text size="sm">{t.preview_first}</Text>}
        </Group>
      </Stack>
    </form>
  )
}

/** Lists the destinations without a price. The server refuses live withdrawals to these destinations. */
export function Unpriced({
  rules,
}: {
  rules: readonly { flow: string; method: string | null; destination_code: string | null }[]
}) {
  const t = useTexts(merchantsTexts)
  const words = useWords()
  const all_destinations = useRead('GET /v1/destinations').data?.items ?? []
  const lines = rules.filter(({ flow }) => flow === 'withdrawal')
  const open = METHODS.withdrawal.flatMap((method) => {
    const own = lines.filter((line) => !line.method || line.method === method)
    if (own.some((line) => !line.destination_code)) return []
    // If a rule for any method names a network, the rule does not apply to bank accounts.
    const only = all_destinations
      .filter((place) => place.method === method && own.some((line) => line.destination_code === place.code))
      .map(({ name }) => name)
    return [only.length === 0 ? words.method(method) : t.all_but(words.method(method), only.join(', '))]
  })
  if (rules.length === 0 || open.length === 0) return null
  return (
    <div className="panel flag-warn" role="status">
      <Text fw={600}>{t.unpriced_title}</Text>
      <Text size="sm">
        {t.unpriced} {open.join('; ')}.
      </Text>
    </div>
  )
}

type PriceForm = ReturnType<typeof useDraft<{ rules: RuleFields[] }>>['form']

function RuleFields({ form, rule, i }: { form: PriceForm; rule: RuleFields; i: number }) {
  const t = useTexts(merchantsTexts)
  const parts = useTexts(partsTexts)
  const words = useWords()
  const field = (name: keyof RuleFields) => form.getInputProps(`rules.${i}.${name}`)
  const methods = METHODS[rule.flow].map((value) => ({ value, label: words.method(value) }))
  const all_destinations = useRead('GET /v1/destinations').data?.items ?? []
  const ofMethod = all_destinations.filter(({ method }) => rule.method === '' || method === rule.method)
  const chosen = rule.destination_code
  const stray = chosen !== '' && !ofMethod.some(({ code }) => code === chosen)
  const destination_choices = [
    { value: '', label: t.any },
    ...(stray
      ? [{ value: chosen, label: all_destinations.length === 0 ? chosen : t.unknown_destination(chosen) }]
      : []),
    ...ofMethod.map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
  ]
  return (
    <Fieldset legend={t.rule(i + 1)}>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
        <TextInput label={parts.optional(t.label)} maxLength={100} {...field('label')} />
        <NativeSelect
          label={t.flow}
          data={Object.entries(t.flows).map(([value, label]) => ({ value, label }))}
          {...field('flow')}
        />
        <NativeSelect label={t.method} data={[{ value: '', label: t.any }, ...methods]} {...field('method')} />
        {rule.flow === 'withdrawal' ? (
          <NativeSelect label={t.destination} data={destination_choices} {...field('destination_code')} />
        ) : null}
        <TextInput label={t.percentage} required inputMode="decimal" {...field('percentage')} />
        <TextInput label={t.flat_fee} required inputMode="decimal" {...field('flat_fee')} />
        {rule.flow === 'withdrawal' ? (
          <>
            <TextInput label={t.processor} required inputMode="decimal" {...field('processor_charge')} />
            <Checkbox
              mt="lg"
              label={t.pass}
              {...form.getInputProps(`rules.${i}.processor_fee_pass_through`, { type: 'checkbox' })}
            />
          </>
        ) : null}
      </SimpleGrid>
      <Button mt="sm" size="xs" variant="default" onClick={() => form.removeListItem('rules', i)}>
        {t.remove_rule(i + 1)}
      </Button>
    </Fieldset>
  )
}

/** Shows the fees of sample payments and withdrawals with the current list and with the new list. */
function Costs({ rows }: { rows: Preview['rows'] }) {
  const t = useTexts(merchantsTexts)
  const words = useWords()
  const nameOf = useDestinationName()
  // If no rule applies, a collection has no fee, and the server refuses a withdrawal.
  const charge = (flow: string, of: { total_charges: string; refused: boolean } | null) =>
    of?.refused ? t.none : of !== null ? <Amount value={of.total_charges} /> : flow === 'collection' ? t.free : t.none
  return (
    <section aria-label={t.preview_title}>
      <Title order={2} mb="sm">
        {t.preview_title}
      </Title>
      <Table
        label={t.preview_title}
        rows={rows}
        rowKey={(row) => `${row.flow} ${row.method} ${row.destination_code} ${row.amount}`}
        columns={[
          {
            label: t.flow,
            show: ({ flow, method, destination_code: code }) =>
              [t.flows[flow], method === null ? null : words.method(method), code === null ? null : nameOf(code)]
                .filter(Boolean)
                .join(', '),
          },
          { label: t.amount, show: (row) => <Amount value={row.amount} />, right: true },
          { label: t.now, show: (row) => charge(row.flow, row.now), right: true },
          { label: t.later, show: (row) => charge(row.flow, row.then), right: true },
        ]}
      />
    </section>
  )
}

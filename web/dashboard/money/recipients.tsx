// Shows the saved recipients of withdrawals: add, check the name, rename, remove. Only members who may withdraw money see the
// page.

import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { checks } from '../../ui/checks.ts'
import { readAgain, useAction, useCall, useRead } from '../../ui/data.ts'
import { newIdempotencyKey, useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Dialog, EmptyState, Page, PageButton } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useEnvironmentPath, useHasRole, useMerchantAccess } from '../merchant.ts'
import { DestinationFields, type PayoutDestination, useDestinationChecks } from './destination-fields.tsx'
import {
  type KnownRecipient,
  NameCheckChip,
  paidBefore,
  type RecipientLists,
  recipientName,
  recipientPlace,
  type SavedRecipient,
} from './recipient-choice.tsx'
import { recipientsTexts } from './recipients-texts.ts'
import { destinationFields, destinationRename, type RecipientFields } from './withdrawal-record.ts'

/**
 * Shows the saved recipients and the form for a new recipient. If the member's role forbids withdrawals, shows an explanation
 * instead.
 */
export function Recipients() {
  const t = useTexts(recipientsTexts)
  const { environment } = useMerchantAccess()
  const may = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const read = useRead('GET /v1/merchant/recipients', {}, { enabled: may })
  const reached = useRead('GET /v1/destinations', { query: { environment } }, { enabled: may })
  if (!may) return <Page title={t.title}>{t.only}</Page>
  return (
    <Page title={t.title} lead={t.lead}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.data === undefined ? read.error ? null : <LoadingRows /> : <RecipientList lists={read.data} />}
      {environment === 'sandbox' ? <Text size="sm">{t.sandbox_names}</Text> : null}
      <Problem error={reached.error} retry={() => void reached.refetch()} />
      {reached.data === undefined || reached.data.items.length === 0 ? null : (
        <AddRecipient destinations={reached.data.items} />
      )}
    </Page>
  )
}

type RecipientQuestion = { act: 'rename' | 'remove'; recipient: SavedRecipient }

function RecipientList({ lists: { items, earlier } }: { lists: RecipientLists }) {
  const t = useTexts(recipientsTexts)
  const [question, setQuestion] = useState<RecipientQuestion | null>(null)
  const close = () => setQuestion(null)
  return (
    <>
      {items.length === 0 ? (
        <EmptyState title={t.empty}>{t.teach}</EmptyState>
      ) : (
        <section className="panel">
          <Title order={2}>{t.saved}</Title>
          <ul className="recipients" aria-label={t.saved}>
            {items.map((recipient) => (
              <SavedLine key={recipient.id} recipient={recipient} ask={(act) => setQuestion({ act, recipient })} />
            ))}
          </ul>
        </section>
      )}
      {earlier.length === 0 ? null : (
        <section className="panel">
          <Title order={2}>{t.earlier}</Title>
          <ul className="recipients" aria-label={t.earlier}>
            {earlier.map((recipient) => (
              <EarlierLine
                key={`${recipient.destination_code} ${recipient.destination_identifier}`}
                recipient={recipient}
              />
            ))}
          </ul>
        </section>
      )}
      {question?.act === 'rename' ? <RenameDialog {...question} close={close} /> : null}
      {question?.act === 'remove' ? <RemoveDialog {...question} close={close} /> : null}
    </>
  )
}

function RecipientText({ recipient }: { recipient: KnownRecipient }) {
  const t = useTexts(recipientsTexts)
  const language = useLanguage()
  const name = recipientName(recipient)
  return (
    <div className="recipient-text">
      <strong>{name}</strong>
      <Text size="sm" component="span">
        {recipient.destination_name === null || recipient.destination_name === name
          ? recipientPlace(recipient)
          : `${recipient.destination_name} · ${recipientPlace(recipient)}`}
      </Text>
      <Text size="sm" component="span" className="recipient-facts">
        {'label' in recipient ? <NameCheckChip recipient={recipient} /> : null}
        <span>{paidBefore(recipient, t, language)}</span>
      </Text>
      {'label' in recipient && recipient.name_check === 'different' ? (
        <Text size="sm" component="span" c="red">
          {t.check_says.different}
        </Text>
      ) : null}
    </div>
  )
}

function SavedLine({ recipient, ask }: { recipient: SavedRecipient; ask: (act: RecipientQuestion['act']) => void }) {
  const t = useTexts(recipientsTexts)
  const at = useEnvironmentPath()
  const check = useAction('POST /v1/merchant/recipients/{recipient_id}/name-check')
  const { id, label } = recipient
  const send = () =>
    check.mutate(
      { params: { recipient_id: id }, once: newIdempotencyKey() },
      {
        onSuccess: ({ name_check }) => showToast(t.checked_toast(label, t.checks[name_check ?? 'unknown'] ?? '')),
      },
    )
  return (
    <li>
      <RecipientText recipient={recipient} />
      <Group gap="xs">
        <PageButton
          to={at(`withdrawals/new?recipient=${id}`)}
          aria-label={t.withdraw_to(label)}
          size="xs"
          variant="default"
        >
          {t.withdraw}
        </PageButton>
        <Button size="xs" variant="default" aria-label={t.check_of(label)} loading={check.isPending} onClick={send}>
          {t.check}
        </Button>
        <Button size="xs" variant="default" aria-label={t.rename_of(label)} onClick={() => ask('rename')}>
          {t.rename}
        </Button>
        <Button size="xs" variant="default" aria-label={t.remove_of(label)} onClick={() => ask('remove')}>
          {t.remove}
        </Button>
      </Group>
      <Problem error={check.error} />
    </li>
  )
}

function EarlierLine({ recipient }: { recipient: RecipientLists['earlier'][number] }) {
  const t = useTexts(recipientsTexts)
  const save = useAction('POST /v1/merchant/recipients')
  const { method, destination_code, destination_identifier, destination_name } = recipient
  const send = () => {
    const name = destination_name ?? recipient.destination
    const body = { method, destination_code, destination_identifier, destination_name: name }
    save.mutate({ body, once: newIdempotencyKey() }, { onSuccess: ({ label }) => showToast(t.saved_toast(label)) })
  }
  return (
    <li>
      <RecipientText recipient={recipient} />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          aria-label={t.save_of(recipientName(recipient))}
          loading={save.isPending}
          onClick={send}
        >
          {t.save}
        </Button>
      </Group>
      <Problem error={save.error} />
    </li>
  )
}

type RecipientDialogProps = { recipient: SavedRecipient; close: () => void }

function RenameDialog({ recipient: { id, label }, close }: RecipientDialogProps) {
  const t = useTexts(recipientsTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const queries = useQueryClient()
  const check = checks(useLanguage())
  const draft = useDraft({
    name: `recipient.rename.${id}`,
    initial: { label },
    check: { label: check.line(100) },
  })
  const send = draft.submit(async (typed, once) => {
    const body = { label: typed.label.trim() }
    const renamed = await call('PATCH /v1/merchant/recipients/{recipient_id}', {
      params: { recipient_id: id },
      body,
      once,
    })
    showToast(t.renamed_toast(renamed.label))
    close()
    await readAgain(queries)
  })
  return (
    <Dialog open onClose={close} title={t.rename_title(label)}>
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          <TextInput
            label={t.label}
            description={t.rename_text}
            required
            autoComplete="off"
            {...draft.form.getInputProps('label')}
          />
          <Problem error={draft.error} />
          <Group>
            <Button type="submit" loading={draft.sending}>
              {t.rename_yes}
            </Button>
            <Button variant="default" onClick={close}>
              {parts.cancel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function RemoveDialog({ recipient: { id, label }, close }: RecipientDialogProps) {
  const t = useTexts(recipientsTexts)
  const parts = useTexts(partsTexts)
  const remove = useAction('DELETE /v1/merchant/recipients/{recipient_id}')
  const yes = () =>
    remove.mutate(
      { params: { recipient_id: id } },
      {
        onSuccess: () => {
          showToast(t.removed_toast(label))
          close()
        },
      },
    )
  return (
    <Dialog open onClose={close} title={t.remove_title(label)}>
      <Text>{t.remove_text}</Text>
      <Problem error={remove.error} />
      <Group>
        <Button color="red" loading={remove.isPending} onClick={yes}>
          {t.remove_yes}
        </Button>
        <Button variant="default" onClick={close}>
          {parts.cancel}
        </Button>
      </Group>
    </Dialog>
  )
}

const EMPTY: RecipientFields = { method: 'MOBILE_MONEY', destination_code: '', identifier: '', name: '', label: '' }

function AddRecipient({ destinations }: { destinations: readonly PayoutDestination[] }) {
  const t = useTexts(recipientsTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const queries = useQueryClient()
  const check = checks(useLanguage())
  const { environment, membership } = useMerchantAccess()
  const draft = useDraft<RecipientFields>({
    name: `recipient.${membership.merchant_id}.${environment}`,
    initial: EMPTY,
    rename: destinationRename,
    check: { ...useDestinationChecks(), label: check.optional(check.line(100)) },
  })
  const { form } = draft
  const send = draft.submit(async (typed, once) => {
    const label = typed.label.trim()
    const body = { ...destinationFields(typed), ...(label === '' ? {} : { label }) }
    const saved = await call('POST /v1/merchant/recipients', { body, once })
    showToast(t.saved_toast(saved.label))
    draft.forget()
    await readAgain(queries)
  })
  const choose = (method: RecipientFields['method']) => {
    form.setValues({ method, destination_code: '' })
    form.clearErrors()
  }
  return (
    <section className="panel">
      <Title order={2}>{t.add}</Title>
      <form onSubmit={send} noValidate>
        <Stack gap="md" maw="34rem">
          <DestinationFields
            method={form.values.method}
            destinations={destinations}
            input={(name) => form.getInputProps(name)}
            choose={choose}
          />
          <TextInput
            label={parts.optional(t.label)}
            description={t.label_help}
            autoComplete="off"
            {...form.getInputProps('label')}
          />
          <Problem error={draft.error} />
          <Group>
            <Button type="submit" loading={draft.sending}>
              {t.save_new}
            </Button>
          </Group>
        </Stack>
      </form>
    </section>
  )
}

// Shows the dialogs before a decision. Each dialog shows the amount, the recipient and the recipient's number again. The page
// sends a decision only when the operator submits the form of a dialog. The warnings come first, so that they are in view.

import { Checkbox, Stack, Text, Textarea } from '@mantine/core'
import { useAction } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Amount, Dialog, FactList } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount, showCount, showPhone } from '../../ui/show.ts'
import { DialogButtons, DialogFacts, DialogForm } from '../dialog-form.tsx'
import { useDestinationName } from '../operator.ts'
import { rejectionReasons } from '../reason-texts.ts'
import { ReasonField } from '../saved-reasons.tsx'
import { isolateDirection } from '../words.ts'
import { ApprovalReason, keepReason, useReasonCheck } from './approval-reason.tsx'
import { caseTexts } from './case-texts.ts'
import { decideTexts } from './decide-texts.ts'
import { useFactRows } from './facts.tsx'
import { type Flag, isWarning } from './flags.ts'
import { useNoRealMoneyText } from './no-real-money.ts'
import { Flags, NameOutcome } from './panels.tsx'
import { type ActionName, type DecisionProps, type NameCheck, REASON_MAX, type WithdrawalCaseRecord } from './record.ts'
import { Resolve } from './resolve.tsx'

/** The facts that the dialogs of an approval and of a rejection use. */
type ApprovalFacts = {
  flags: readonly Flag[]
  /** True means that the provider reports another name than the merchant. Only the dialog of an approval uses it. */
  name_differs: boolean
  /** The latest name check. Null means that no operator has asked the provider. */
  check: NameCheck | null
}

/** Shows the dialog of one action. Null as `act` means that no dialog is open. */
export function Decide({
  act,
  flags,
  name_differs,
  check,
  ...rest
}: DecisionProps & ApprovalFacts & { act: ActionName | null }) {
  const t = useTexts(decideTexts)
  const known_name = rest.of.withdrawal.destination_name ?? check?.name ?? null
  return (
    <Dialog open={act !== null} onClose={rest.onClose} title={act === null ? '' : t[act].title}>
      {act === 'approve' || act === 'reject' ? (
        <DialogFacts label={t.facts}>
          <Stack gap="xs">
            <Flags flags={flags.filter(isWarning)} name_confirmed={check?.matches === true} />
            {/* The footer of an approval says that no operator has asked for the name. */}
            {act === 'approve' && check === null ? null : <NameOutcome check={check} flags={flags} />}
            {act === 'approve' ? <ApprovalHint of={rest.of} /> : null}
          </Stack>
          <Restated of={rest.of} known_name={known_name} is_short={act === 'reject'} />
        </DialogFacts>
      ) : act === null ? null : (
        <Restated of={rest.of} known_name={known_name} />
      )}
      {act === 'approve' ? <Approve {...rest} {...{ name_differs, check, known_name }} /> : null}
      {act === 'reject' ? <Reject {...rest} flags={flags} /> : null}
      {act === 'ask' ? <Ask {...rest} /> : null}
      {act === 'retry' ? <Retry {...rest} /> : null}
      {act === 'recall' ? <Recall {...rest} /> : null}
      {act === 'resolve' ? <Resolve {...rest} /> : null}
    </Dialog>
  )
}

/** Says that two operators have to approve, and which approval comes next. */
function ApprovalHint({ of: { withdrawal } }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(decideTexts)
  const { approvals_required, approvals } = withdrawal
  if (approvals_required < 2) return null
  const first = approvals[0]
  return (
    <Text fw={600} className="who">
      {first ? t.approve.second(first.operator) : t.approve.first}
    </Text>
  )
}

/** Repeats the facts of the payout. `is_short` leaves out what a rejection does not need, so that the saved reasons are in view. */
function Restated({
  of: { withdrawal, facts: size_facts },
  known_name,
  is_short = false,
}: {
  of: WithdrawalCaseRecord
  known_name: string | null
  is_short?: boolean
}) {
  const t = useTexts(decideTexts)
  const nameOf = useDestinationName()
  const { currency, method, destination_identifier } = withdrawal
  const size = useFactRows(is_short ? null : size_facts, currency)
  const total = [t.total, <Amount key="total" value={withdrawal.total_reserved_amount} currency={currency} />] as const
  const simulated = useNoRealMoneyText(withdrawal.environment)
  return (
    <>
      <FactList
        facts={[
          [
            t.amount,
            <strong key="amount">
              <Amount value={withdrawal.amount} currency={currency} />
            </strong>,
          ],
          ...(is_short ? [] : [total]),
          [t.to, <strong key="to">{known_name ?? t.no_name}</strong>],
          [
            t.number,
            <strong key="number">
              {method === 'BANK_ACCOUNT' ? destination_identifier : showPhone(destination_identifier)}
            </strong>,
          ],
          [t.network, withdrawal.bank_name ?? nameOf(withdrawal.destination_code)],
          [t.merchant, withdrawal.merchant_name],
          ...size,
        ]}
      />
      {withdrawal.environment === 'sandbox' ? (
        <Text fw={600}>{t.sandbox}</Text>
      ) : simulated === '' ? null : (
        <Text fw={600}>{simulated}</Text>
      )}
    </>
  )
}

function Approve({
  of: { withdrawal, destination },
  name_differs,
  check,
  known_name,
  onDone,
  onClose,
}: DecisionProps & Pick<ApprovalFacts, 'name_differs' | 'check'> & { known_name: string | null }) {
  const t = useTexts(decideTexts)
  const { name_unchecked } = useTexts(caseTexts)
  const act = useAction('POST /v1/operator/withdrawals/{withdrawal_id}/approve')
  const { id, amount, currency, destination_name, destination_identifier, environment, approvals_required, approvals } =
    withdrawal
  const simulated = useNoRealMoneyText(environment)
  const reason = useReasonCheck()
  const { form, submit, error, sending } = useDraft({
    name: `approve.${id}`,
    initial: { reason: '', checked: false },
    check: { reason, checked: (value) => (destination.first_time && !value ? t.approve.new_place_needed : null) },
  })
  const shown = showAmount(amount, currency)
  const first = approvals[0]
  const send = submit(async (values, once) => {
    const body = { reason: values.reason.trim(), confirm_new_destination: values.checked }
    const after = await act.mutateAsync({ params: { withdrawal_id: id }, body, once })
    keepReason(body.reason)
    const name = isolateDirection(destination_name ?? showPhone(destination_identifier))
    const done = t.approve.done(shown, name)
    onDone(after.status === 'PENDING_ADMIN_APPROVAL' ? t.approve.done_first : `${done} ${simulated}`.trim())
  })
  return (
    <DialogForm onSubmit={send}>
      <ApprovalReason
        checks={[check]}
        field={form.getInputProps('reason')}
        set={(text) => form.setFieldValue('reason', text)}
      />
      {approvals_required > 1 && !first ? null : <Text>{t.approve.text}</Text>}
      <Problem error={error} />
      <DialogButtons text={t.approve.button(shown)} quiet={name_differs} sending={sending} onClose={onClose}>
        {check === null ? (
          <Text size="sm" fw={600}>
            {name_unchecked}
          </Text>
        ) : null}
        {destination.first_time ? (
          <Checkbox
            label={known_name === null ? t.approve.new_place_unnamed : t.approve.new_place}
            {...form.getInputProps('checked', { type: 'checkbox' })}
          />
        ) : null}
      </DialogButtons>
    </DialogForm>
  )
}

function Reject({ of: { withdrawal }, flags, onDone, onClose }: DecisionProps & Pick<ApprovalFacts, 'flags'>) {
  const t = useTexts(decideTexts)
  const reasons = useTexts(rejectionReasons)
  const act = useAction('POST /v1/operator/withdrawals/{withdrawal_id}/reject')
  const { id, amount, currency } = withdrawal
  const shown = showAmount(amount, currency)
  const { form, submit, error, sending } = useDraft({
    name: `reject.${id}`,
    initial: { reason: '' },
    check: { reason: (value) => (value.trim() === '' ? t.needed : null) },
  })
  const send = submit(async ({ reason }, once) => {
    const body = { reason: reason.trim() }
    const { warned_withdrawals } = await act.mutateAsync({ params: { withdrawal_id: id }, body, once })
    const done = t.reject.done(shown)
    onDone(warned_withdrawals > 0 ? `${done} ${t.reject.warned(showCount(warned_withdrawals))}` : done)
  })
  return (
    <DialogForm onSubmit={send}>
      <ReasonField
        act="withdrawal.reject"
        fitting={flags.flatMap(({ cause }) => (cause === undefined ? [] : [reasons[cause]]))}
        set={(text) => form.setFieldValue('reason', text)}
        label={t.reject.field}
        maxLength={REASON_MAX}
        required
        withAsterisk={false}
        {...form.getInputProps('reason')}
      />
      <Text>{t.reject.text}</Text>
      <Problem error={error} />
      <DialogButtons text={t.reject.button(shown)} danger sending={sending} onClose={onClose} />
    </DialogForm>
  )
}

function Recall({ of: { withdrawal }, onDone, onClose }: DecisionProps) {
  const t = useTexts(decideTexts)
  const act = useAction('POST /v1/operator/withdrawals/{withdrawal_id}/recall')
  const { id, amount, currency } = withdrawal
  const shown = showAmount(amount, currency)
  const { form, submit, error, sending } = useDraft({
    name: `recall.${id}`,
    initial: { reason: '' },
    check: { reason: (value) => (value.trim() === '' ? t.needed : null) },
  })
  const send = submit(async ({ reason }, once) => {
    await act.mutateAsync({ params: { withdrawal_id: id }, body: { reason: reason.trim() }, once })
    onDone(t.recall.done(shown))
  })
  return (
    <DialogForm onSubmit={send}>
      <Text>{t.recall.text}</Text>
      <ReasonField
        act="withdrawal.recall"
        set={(text) => form.setFieldValue('reason', text)}
        label={t.recall.field}
        maxLength={REASON_MAX}
        required
        withAsterisk={false}
        {...form.getInputProps('reason')}
      />
      <Problem error={error} />
      <DialogButtons text={t.recall.button(shown)} danger sending={sending} onClose={onClose} />
    </DialogForm>
  )
}

function Ask({ of: { withdrawal }, onDone, onClose }: DecisionProps) {
  const t = useTexts(decideTexts)
  const act = useAction('POST /v1/operator/withdrawals/{withdrawal_id}/request-info')
  const { id } = withdrawal
  const { form, submit, error, sending } = useDraft({
    name: `ask.${id}`,
    initial: { message: '' },
    check: { message: (value) => (value.trim() === '' ? t.needed : null) },
  })
  const send = submit(async ({ message }, once) => {
    await act.mutateAsync({ params: { withdrawal_id: id }, body: { message: message.trim() }, once })
    onDone(t.ask.done)
  })
  return (
    <DialogForm onSubmit={send}>
      <Text>{t.ask.text}</Text>
      <Textarea
        label={t.ask.field}
        description={t.ask.hint}
        maxLength={REASON_MAX}
        rows={4}
        required
        withAsterisk={false}
        {...form.getInputProps('message')}
      />
      <Problem error={error} />
      <DialogButtons text={t.ask.button} sending={sending} onClose={onClose} />
    </DialogForm>
  )
}

function Retry({ of: { withdrawal }, onDone, onClose }: DecisionProps) {
  const t = useTexts(decideTexts)
  const act = useAction('POST /v1/operator/withdrawals/{withdrawal_id}/retry')
  const { id, amount, currency, environment, status_reason } = withdrawal
  const simulated = useNoRealMoneyText(environment)
  const shown = showAmount(amount, currency)
  const { submit, error, sending } = useDraft({ name: `retry.${id}`, initial: {} })
  const send = submit(async (_values, once) => {
    await act.mutateAsync({ params: { withdrawal_id: id }, body: {}, once })
    const done = t.retry.done(shown)
    onDone(`${done} ${simulated}`.trim())
  })
  return (
    <DialogForm onSubmit={send}>
      <Text>{t.retry.text}</Text>
      {status_reason ? (
        <Text fw={600} className="written">
          {status_reason}
        </Text>
      ) : null}
      <Problem error={error} />
      <DialogButtons text={t.retry.button(shown)} sending={sending} onClose={onClose} />
    </DialogForm>
  )
}

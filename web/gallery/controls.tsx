// Shows buttons, fields, choices and links of the gallery, also in the states that a pointer or the keyboard causes.

import {
  Button,
  Checkbox,
  FileButton,
  Group,
  NativeSelect,
  Radio,
  SegmentedControl,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { BusyButton } from '../ui/busy-button.tsx'
import { Icon } from '../ui/icons.tsx'
import { useTexts } from '../ui/language.ts'
import { CopyButton, PageLink } from '../ui/parts.tsx'
import { galleryTexts } from './gallery-texts.ts'
import type { ShownState } from './shown-states.ts'
import { Shown, Specimen } from './specimen.tsx'

const STATES: readonly ShownState[] = ['hover', 'focus', 'pressed']

/** Shows the controls. */
export function ControlSpecimens() {
  return (
    <>
      <ButtonSpecimens />
      <FieldSpecimens />
      <ChoiceSpecimens />
      <LinkSpecimens />
    </>
  )
}

function ButtonSpecimens() {
  const t = useTexts(galleryTexts)
  return (
    <>
      <Specimen name="buttons">
        <Group gap="sm">
          <Button>{t.create}</Button>
          <Button leftSection={<Icon name="plus" size={16} />}>{t.with_icon}</Button>
          <Button variant="default">{t.second}</Button>
          <Button variant="subtle">{t.quiet}</Button>
          <Button color="red">{t.danger}</Button>
        </Group>
      </Specimen>
      {STATES.map((state) => (
        <Specimen key={state} name={`buttons, ${state}`}>
          <Group gap="sm">
            <Shown state={state} of="button">
              <Button>{t.create}</Button>
            </Shown>
            <Shown state={state} of="button">
              <Button variant="default">{t.second}</Button>
            </Shown>
            <Shown state={state} of="button">
              <Button variant="subtle">{t.quiet}</Button>
            </Shown>
            <Shown state={state} of="button">
              <Button color="red">{t.danger}</Button>
            </Shown>
          </Group>
        </Specimen>
      ))}
      <Specimen name="buttons, disabled">
        <Group gap="sm">
          <Button disabled>{t.disabled}</Button>
          <Button variant="default" disabled>
            {t.disabled}
          </Button>
          <Button variant="subtle" disabled>
            {t.disabled}
          </Button>
          <Button color="red" disabled>
            {t.disabled}
          </Button>
        </Group>
      </Specimen>
      <Specimen name="buttons, busy">
        <Group gap="sm">
          <Button loading>{t.sending}</Button>
          <Button variant="default" loading>
            {t.sending}
          </Button>
          <Button color="red" loading>
            {t.sending}
          </Button>
          <BusyButton busy onClick={() => {}}>
            {t.sending}
          </BusyButton>
        </Group>
      </Specimen>
      <Specimen name="buttons, small">
        <Group gap="sm">
          <Button size="xs">{t.small}</Button>
          <Button size="xs" variant="default">
            {t.small}
          </Button>
          <CopyButton text="ORDER-1042" />
        </Group>
      </Specimen>
      <Specimen name="file upload">
        <Group gap="sm">
          <FileButton accept="image/png" onChange={() => {}}>
            {(props) => <Button {...props}>{t.picture}</Button>}
          </FileButton>
          <Button variant="default">{t.remove_logo}</Button>
        </Group>
      </Specimen>
    </>
  )
}

function FieldSpecimens() {
  const t = useTexts(galleryTexts)
  return (
    <>
      <Specimen name="fields">
        <Stack gap="md">
          <TextInput label={t.amount} description={t.amount_help} defaultValue="25000" />
          <TextInput label={t.phone} error={t.phone_wrong} defaultValue="07541" />
          <TextInput label={t.reference} disabled defaultValue="ORDER-1042" />
          <NativeSelect label={t.status} data={[t.all, t.event_good, t.event_bad]} />
          <Textarea label={t.reason} defaultValue={t.reason_text} />
        </Stack>
      </Specimen>
      {(['hover', 'focus'] as const).map((state) => (
        <Specimen key={state} name={`fields, ${state}`}>
          <Stack gap="md">
            <Shown state={state} of="input">
              <TextInput label={t.amount} defaultValue="25000" />
            </Shown>
            <Shown state={state} of="input">
              <TextInput label={t.phone} error={t.phone_wrong} defaultValue="07541" />
            </Shown>
            <Shown state={state} of="select">
              <NativeSelect label={t.status} data={[t.all, t.event_good, t.event_bad]} />
            </Shown>
          </Stack>
        </Specimen>
      ))}
    </>
  )
}

function ChoiceSpecimens() {
  const t = useTexts(galleryTexts)
  return (
    <>
      <Specimen name="choices">
        <Stack gap="md">
          <Checkbox label={t.event_good} description="collection.success" defaultChecked />
          <Checkbox label={t.event_bad} description="collection.failed" />
          <Radio.Group label={t.where} defaultValue="phone">
            <Stack gap="xs" mt="xs">
              <Radio value="phone" label={t.to_phone} />
              <Radio value="bank" label={t.to_bank} />
            </Stack>
          </Radio.Group>
          <SegmentedControl data={t.periods} aria-label={t.period} />
        </Stack>
      </Specimen>
      {STATES.map((state) => (
        <Specimen key={state} name={`choices, ${state}`}>
          <Group gap="lg">
            <Shown state={state} of="input">
              <Checkbox label={t.event_good} defaultChecked />
            </Shown>
            <Shown state={state} of="input">
              <Checkbox label={t.event_bad} />
            </Shown>
            <Shown state={state} of="input">
              <Radio label={t.to_phone} />
            </Shown>
          </Group>
        </Specimen>
      ))}
      <Specimen name="choices, disabled">
        <Group gap="lg">
          <Checkbox label={t.event_good} disabled defaultChecked />
          <Checkbox label={t.event_bad} disabled />
          <Radio label={t.to_phone} disabled />
          <SegmentedControl data={t.periods} aria-label={t.period} disabled />
        </Group>
      </Specimen>
    </>
  )
}

function LinkSpecimens() {
  const t = useTexts(galleryTexts)
  return (
    <Specimen name="links, plain and in each state">
      <Group gap="lg">
        <PageLink to="payments">{t.see_all}</PageLink>
        {STATES.map((state) => (
          <Shown key={state} state={state} of="a">
            <PageLink to="payments">{t.see_all}</PageLink>
          </Shown>
        ))}
      </Group>
    </Specimen>
  )
}

// Shows the parts of the gallery that say how a page stands: nothing there, loading, failed, or done.

import { Alert, Button, Group, Stack } from '@mantine/core'
import { NoAnswer, Refused } from '../ui/api.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import { useTexts } from '../ui/language.ts'
import { LoadingRows } from '../ui/loading-rows.tsx'
import { EmptyState } from '../ui/parts.tsx'
import { partsTexts } from '../ui/parts-texts.ts'
import { Problem } from '../ui/problem.tsx'
import { Initial } from '../ui/shell.tsx'
import { ToastBox } from '../ui/toast.tsx'
import { galleryTexts } from './gallery-texts.ts'
import { Specimen } from './specimen.tsx'

const retry = () => {}
const FAILED = new Refused(500, null, new Headers({ 'x-request-id': 'req_7f3a' }))

/** Shows the states of a page. */
export function StateSpecimens() {
  const t = useTexts(galleryTexts)
  return (
    <>
      <Specimen name="empty, nothing yet">
        <EmptyState title={t.no_invoices} action={<Button>{t.create_invoice}</Button>}>
          {t.no_invoices_text}
        </EmptyState>
      </Specimen>
      <Specimen name="empty, work done">
        <EmptyState title={t.queue_clear} done>
          {t.queue_clear_text}
        </EmptyState>
      </Specimen>
      <Specimen name="loading">
        <LoadingRows />
      </Specimen>
      <Specimen name="lost network">
        <Problem error={new NoAnswer()} retry={retry} />
      </Specimen>
      <Specimen name="failed read">
        <Problem error={FAILED} retry={retry} />
      </Specimen>
      <Specimen name="messages">
        <Stack gap="sm">
          <ToastBox text={t.link_created} />
          <ToastBox text={t.arrived} kind="running" />
          <ToastBox text={t.not_arrived} kind="warning" />
          <Alert color="yellow" variant="light" title={t.check_title}>
            {t.check_text}
          </Alert>
          <Alert color="blue" variant="light">
            {t.sandbox_only}
          </Alert>
        </Stack>
      </Specimen>
    </>
  )
}

/** Shows the pictures of people and businesses, and the lines that name the environment. */
export function IdentitySpecimens() {
  const t = useTexts(partsTexts)
  const strips: readonly (readonly [string, IconName, string])[] = [
    ['sandbox', 'flask', t.sandbox_strip],
    ['live', 'lock', t.live_strip],
    ['operator', 'held', 'Malipo'],
    ['offline', 'alert', t.offline],
  ]
  return (
    <>
      <Specimen name="people and businesses">
        <Group gap="sm">
          <Initial name="asha@example.com" />
          <Initial name="Duka la Asha" square />
        </Group>
      </Specimen>
      <Specimen name="strips">
        <div className="strips">
          {strips.map(([kind, icon, text]) => (
            <div key={kind} className={`strip strip-${kind}`}>
              <Icon name={icon} size={16} />
              <span>{text}</span>
            </div>
          ))}
        </div>
      </Specimen>
    </>
  )
}

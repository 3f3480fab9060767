// Shows short messages about finished actions, such as "Saved". Screen readers announce a message. A message takes no focus and
// disappears by itself, so it must need no action of the user.

import './toast.css'
import { useEffect, useSyncExternalStore } from 'react'
import { Icon, type IconName } from './icons.tsx'

/** The meaning of a message: a finished action, a longer action that still runs, or an action that did not fully succeed. */
type ToastKind = 'done' | 'running' | 'warning'
type ToastMessage = { id: number; text: string; kind: ToastKind }

const ICONS: Record<ToastKind, IconName> = { done: 'check', running: 'hourglass', warning: 'alert' }

/** The time for which a message stays visible: a base in milliseconds, and further milliseconds for each character. */
const SHOWN_MS = 4_000
const PER_CHARACTER_MS = 50

let messages: readonly ToastMessage[] = []
let last_id = 0
const readers = new Set<() => void>()

function change(next: readonly ToastMessage[]): void {
  messages = next
  for (const read of readers) read()
}

/** Shows a message. If the same text is visible, its time starts again. At most two messages are visible. */
export function showToast(text: string): void {
  last_id += 1
  change([...messages.filter((one) => one.text !== text), { id: last_id, text, kind: 'done' as const }].slice(-2))
}

/** A message about a longer action. `update` changes its text. After `end`, the message disappears by itself. */
export type ProgressToast = { update(text: string): void; end(text: string, kind: 'done' | 'warning'): void }

/** Shows a message that stays until its action ends, also if the user opens another page. */
export function showProgressToast(text: string): ProgressToast {
  last_id += 1
  const id = last_id
  const put = (next: string, kind: ToastKind) =>
    change([...messages.filter((one) => one.id !== id), { id, text: next, kind }].slice(-2))
  put(text, 'running')
  return { update: (next) => put(next, 'running'), end: put }
}

function subscribe(read: () => void): () => void {
  readers.add(read)
  return () => void readers.delete(read)
}

/**
 * Shows the messages. The frame renders this component once, before the first message, because screen readers announce only
 * changes.
 */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => messages)
  return (
    <div className="toasts" role="status" aria-live="polite" aria-atomic="false">
      {shown.map((message) => (
        <ToastLine key={message.id} {...message} />
      ))}
    </div>
  )
}

function ToastLine({ id, text, kind }: ToastMessage) {
  useEffect(() => {
    if (kind === 'running') return
    const timer = setTimeout(
      () => change(messages.filter((one) => one.id !== id)),
      SHOWN_MS + text.length * PER_CHARACTER_MS,
    )
    return () => clearTimeout(timer)
  }, [id, text, kind])
  return <ToastBox text={text} kind={kind} />
}

/** Shows a message that does not disappear, for the gallery. */
export function ToastBox({ text, kind = 'done' }: { text: string; kind?: ToastKind }) {
  return (
    <div className={kind === 'warning' ? 'toast toast-warning' : 'toast'}>
      <Icon name={ICONS[kind]} />
      <span>{text}</span>
    </div>
  )
}

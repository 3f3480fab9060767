// Shows short messages about finished actions, such as "Saved". Screen readers announce a message. A message takes no focus and
// disappears by itself, so it must need no action of the user.

import './toast.css'
import { useEffect, useSyncExternalStore } from 'react'
import { Icon } from './icons.tsx'

type ToastMessage = { id: number; text: string }

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
  change([...messages.filter((one) => one.text !== text), { id: last_id, text }].slice(-2))
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

function ToastLine({ id, text }: ToastMessage) {
  useEffect(() => {
    const timer = setTimeout(
      () => change(messages.filter((one) => one.id !== id)),
      SHOWN_MS + text.length * PER_CHARACTER_MS,
    )
    return () => clearTimeout(timer)
  }, [id, text])
  return <ToastBox text={text} />
}

/** Shows a message that does not disappear, for the gallery. */
export function ToastBox({ text }: { text: string }) {
  return (
    <div className="toast">
      <Icon name="check" />
      <span>{text}</span>
    </div>
  )
}

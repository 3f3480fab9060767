// Shows short messages about finished acts, such as "Saved". The region announces a message to screen readers, takes no focus, and
// a message disappears by itself. A message that the reader must act on is no toast.

import './toast.css'
import { useEffect, useSyncExternalStore } from 'react'
import { Icon } from './icons.tsx'

type ToastMessage = { id: number; text: string }

/** Time for reading: a base, and some time for each character. */
const SHOWN_MS = 4_000
const PER_CHARACTER_MS = 50

let messages: readonly ToastMessage[] = []
let last_id = 0
const readers = new Set<() => void>()

function change(next: readonly ToastMessage[]): void {
  messages = next
  for (const read of readers) read()
}

/** Shows a message. The same text again restarts its time. At most two messages are visible. */
export function showToast(text: string): void {
  last_id += 1
  change([...messages.filter((one) => one.text !== text), { id: last_id, text }].slice(-2))
}

function subscribe(read: () => void): () => void {
  readers.add(read)
  return () => void readers.delete(read)
}

/** Shows the region of the messages. The frame renders this component once, so that the region exists before its first message. */
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

/** Shows one message without its time, as the gallery needs it. */
export function ToastBox({ text }: { text: string }) {
  return (
    <div className="toast">
      <Icon name="check" />
      <span>{text}</span>
    </div>
  )
}

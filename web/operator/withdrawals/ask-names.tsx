// Lets an operator ask the provider for the names that the review of a batch lacks, one after the other.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useCall } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { Problem } from '../../ui/problem.tsx'
import { showCount } from '../../ui/show.ts'

/** After this number of answers without a name in a row, the page asks no more, because the provider may have an outage. */
const SILENT_MAX = 5

const askTexts = texts({
  sw: {
    ask: (count: string) => (count === '1' ? 'Uliza jina 1 kwa mtoa huduma' : `Uliza majina ${count} kwa mtoa huduma`),
    stop: 'Acha kuuliza',
    asking: (asked: string, all: string) => `Mtoa huduma ameulizwa: ${asked} kati ya ${all}`,
    all: (asked: string) => `Mtoa huduma ameulizwa majina yote: ${asked}.`,
    silent: (asked: string, all: string) =>
      `Kuuliza kumeishia ${asked} kati ya ${all}: mtoa huduma hakutoa jina mara tano mfululizo.`,
    stopped: (asked: string, all: string) => `Umeacha kuuliza. Mtoa huduma ameulizwa: ${asked} kati ya ${all}.`,
  },
  en: {
    ask: (count: string) => (count === '1' ? 'Ask the provider for 1 name' : `Ask the provider for ${count} names`),
    stop: 'Stop asking',
    asking: (asked: string, all: string) => `Asked the provider: ${asked} of ${all}`,
    all: (asked: string) => `The provider was asked for all names: ${asked}.`,
    silent: (asked: string, all: string) =>
      `Stopped after ${asked} of ${all}: the provider gave no name five times in a row.`,
    stopped: (asked: string, all: string) => `You stopped. Asked the provider: ${asked} of ${all}.`,
  },
})

/** How far the page has asked. `end` says why it asks no more, and null means that it still asks or that a request failed. */
type Progress = { asked: number; all: number; end: 'all' | 'silent' | 'stopped' | null }

/**
 * Asks for the names of the withdrawals `ids` after a click, one request at a time. After the last one, calls `onAsked`. If the
 * operator stops it, closes the dialog, or a request fails, the page sends no further request. `onBusy` gets true from the click
 * until the dialog shows the names.
 */
export function AskNames({
  ids,
  onAsked,
  onBusy,
}: {
  ids: readonly string[]
  onAsked: () => Promise<unknown>
  onBusy: (busy: boolean) => void
}) {
  const t = useTexts(askTexts)
  const call = useCall()
  const [progress, setProgress] = useState<Progress | null>(null)
  const [error, setError] = useState<unknown>(null)
  const running = useRef<AbortController | null>(null)
  const result = useRef<HTMLDivElement>(null)
  useEffect(() => () => running.current?.abort('closed'), [])
  const ask = async () => {
    const control = new AbortController()
    const { signal } = control
    running.current = control
    setError(null)
    onBusy(true)
    let [asked, silent] = [0, 0]
    const say = (end: Progress['end']) => setProgress({ asked, all: ids.length, end })
    say(null)
    try {
      for (const withdrawal_id of ids) {
        const params = { withdrawal_id }
        const { name } = await call('POST /v1/operator/withdrawals/{withdrawal_id}/name-check', {
          params,
          body: {},
          signal,
        })
        asked += 1
        silent = name === null ? silent + 1 : 0
        if (signal.aborted || silent === SILENT_MAX) break
        say(null)
      }
    } catch (thrown) {
      if (!signal.aborted) setError(thrown)
    }
    if (signal.reason === 'closed') return
    if (asked > 0) await onAsked()
    running.current = null
    onBusy(false)
    const is_whole = asked === ids.length
    say(signal.aborted ? 'stopped' : is_whole ? 'all' : silent === SILENT_MAX ? 'silent' : null)
    // The button may have left the dialog with the focus.
    setTimeout(() => document.activeElement === document.body && result.current?.focus())
  }
  const is_running = running.current !== null
  const [asked, all] = [showCount(progress?.asked ?? 0), showCount(progress?.all ?? 0)]
  return (
    <Stack gap={4}>
      {ids.length > 0 || is_running ? (
        <Group gap="sm">
          <Button
            size="xs"
            variant="default"
            onClick={is_running ? () => running.current?.abort('stopped') : () => void ask()}
          >
            {is_running ? t.stop : t.ask(showCount(ids.length))}
          </Button>
          {is_running ? <Text size="sm">{t.asking(asked, all)}</Text> : null}
        </Group>
      ) : null}
      <div role="status" ref={result} tabIndex={-1}>
        {is_running || progress === null || progress.end === null ? null : (
          <Text size="sm">{t[progress.end](asked, all)}</Text>
        )}
      </div>
      <Problem error={error} retry={() => void ask()} />
    </Stack>
  )
}

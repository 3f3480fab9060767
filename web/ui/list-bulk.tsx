// Lets the user select rows of a list, and take one action on all of them.

import { Group, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { BusyButton } from './busy-button.tsx'
import { useFocusAfterRemoval } from './focus.ts'
import { texts, useTexts } from './language.ts'
import { Problem } from './problem.tsx'
import { showCount } from './show.ts'

const bulkTexts = texts({
  sw: {
    selected: (count: string) => `Umechagua ${count}`,
    none: 'Chagua mistari ili kuifanyia kitendo kwa pamoja.',
    clear: 'Ondoa uchaguzi',
  },
  en: {
    selected: (count: string) => `${count} selected`,
    none: 'Select rows to use one action on all of them.',
    clear: 'Clear the selection',
  },
})

/** An action on several rows. `can` returns true for a row that allows the action. */
export type BulkAct<Row> = {
  label: string
  can: (row: Row) => boolean
  /** The name of the checkbox of a row, for screen readers. */
  select: (row: Row) => string
  /**
   * Sends the action on all rows in one call, and returns the keys of the rows that stay selected. An action that changes data
   * itself makes the page read again.
   */
  run: (rows: readonly Row[]) => Promise<string[]>
  /** Shows further actions on the selected rows, and their results, which also appear without a selected row. */
  more?: (rows: readonly Row[], choose: (keys: string[]) => void) => ReactNode
}

/**
 * Shows the number of selected rows, and the button of the action. If no row of the list allows an action, shows only results. If
 * the call fails, the rows stay selected.
 */
export function BulkBar<Row>({
  act,
  rows,
  idle,
  choose,
}: {
  act: BulkAct<Row>
  /** The rows that the user has selected. */
  rows: readonly Row[]
  /** True if no row of the list allows the action. */
  idle: boolean
  choose: (keys: string[]) => void
}) {
  const t = useTexts(bulkTexts)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const bar = useRef<HTMLDivElement>(null)
  // The buttons disappear with the last selected row, so the bar takes their focus.
  const startRemoval = useFocusAfterRemoval(rows.length === 0, busy, bar)
  const run = async () => {
    startRemoval()
    setBusy(true)
    setError(null)
    try {
      const left = await act.run(rows)
      if (left.length < rows.length) choose(left)
    } catch (thrown) {
      setError(thrown)
    }
    setBusy(false)
  }
  return (
    <Group gap="sm" className="no-print bulk-bar" ref={bar} tabIndex={-1}>
      {idle ? null : <Text size="sm">{rows.length === 0 ? t.none : t.selected(showCount(rows.length))}</Text>}
      {rows.length === 0 ? null : (
        <>
          <BusyButton
            size="xs"
            variant="default"
            disabled={busy}
            onClick={() => {
              startRemoval()
              choose([])
            }}
          >
            {t.clear}
          </BusyButton>
          <BusyButton size="xs" busy={busy} onClick={() => void run()}>
            {act.label}
          </BusyButton>
        </>
      )}
      {act.more?.(rows, choose)}
      <Problem error={error} />
    </Group>
  )
}

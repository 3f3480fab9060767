// Shows JSON or a command, with a button that copies the text.

import { Stack } from '@mantine/core'
import { CopyButton } from '../ui/parts.tsx'

/** Shows the text. `label` is its name for screen readers. `copy` is the label of the copy button. */
export function Raw({ text, label, copy }: { text: string; label: string; copy: string }) {
  return (
    <Stack gap="xs" mt="xs">
      <section aria-label={label}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach an area that scrolls */}
        <pre className="body" tabIndex={0} lang="en">
          {text}
        </pre>
      </section>
      <div>
        <CopyButton text={text} label={copy} />
      </div>
    </Stack>
  )
}

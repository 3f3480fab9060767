// Shows that rows are loading. Lists are a later file, and every page needs these rows first.

import { Skeleton, Stack } from '@mantine/core'
import { useTexts } from './language.ts'
import { partsTexts } from './parts-texts.ts'

/** Shows grey placeholders of rows until the data arrives. */
export function LoadingRows({ label }: { label?: string }) {
  const t = useTexts(partsTexts)
  return (
    <Stack gap="xs" role="status" aria-label={label ?? t.loading}>
      {[0, 1, 2, 3].map((line) => (
        <Skeleton key={line} height={36} animate={false} />
      ))}
    </Stack>
  )
}

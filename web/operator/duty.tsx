// Hides actions that the role of the operator does not allow. The server checks the role again for each request.

import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../ui/language.ts'
import { type Duty, useMay } from './operator.ts'

const dutyTexts = texts({
  sw: {
    needs: {
      read: 'Wewe si mwendeshaji.',
      money: 'Unaweza kusoma tu. Maamuzi ya pesa ni ya mwendeshaji wa fedha au msimamizi mkuu.',
      merchants: 'Unaweza kusoma tu. Maamuzi ya biashara ni ya mkaguzi au msimamizi mkuu.',
      pause: 'Unaweza kusoma tu. Kusimamisha utoaji ni kazi ya mwendeshaji wa fedha, mkaguzi au msimamizi mkuu.',
      platform: 'Unaweza kusoma tu. Makato na mipangilio ya mfumo ni kazi ya msimamizi mkuu.',
    } satisfies Record<Duty, string>,
  },
  en: {
    needs: {
      read: 'You are not an operator.',
      money: 'You can only read this page. Decisions about money need the role finance operator or super admin.',
      merchants: 'You can only read this page. Decisions about merchants need the role compliance or super admin.',
      pause: 'You can only read this page. A pause needs the role finance operator, compliance or super admin.',
      platform: 'You can only read this page. Fees and platform settings need the role super admin.',
    },
  },
})

/**
 * If the role of the operator allows the duty, shows `children`. Otherwise shows nothing, or with `note`, a sentence about the
 * roles that have the duty.
 */
export function ForDuty({ duty, note = false, children }: { duty: Duty; note?: boolean; children: ReactNode }) {
  const t = useTexts(dutyTexts)
  if (useMay(duty)) return <>{children}</>
  return note ? <Text size="sm">{t.needs[duty]}</Text> : null
}

// Shows a field for a date, with the chosen day in words below it. The browser writes the date of the field in the order of its own
// language, which may be month first.

import { Text, TextInput, type TextInputProps } from '@mantine/core'
import { type Language, useLanguage } from './language.ts'
import { showDate } from './show.ts'

/**
 * Returns a day YYYY-MM-DD in words, such as "11 Nov 2026". Null means that the text is no day, or that the user still types the
 * year.
 */
export function dayInWords(day: string, language: Language): string | null {
  return /^2\d{3}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? showDate(day, language) : null
}

/** Shows the field. `value` is the chosen day as YYYY-MM-DD, or empty. Screen readers read the words as its description. */
export function DayField({ value, description, ...props }: TextInputProps & { value: string }) {
  const words = dayInWords(value, useLanguage())
  return (
    <TextInput
      {...props}
      type="date"
      value={value}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={
        words === null ? (
          description
        ) : (
          <>
            <Text span size="sm" c="var(--ink)">
              {words}
            </Text>{' '}
            {description}
          </>
        )
      }
    />
  )
}

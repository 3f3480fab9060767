// Shows a field for a date, with the chosen day in words below it. The browser writes the date of the field in the order of its own
// language, which may be month first.

import { Text, TextInput, type TextInputProps } from '@mantine/core'
import { useLanguage } from './language.ts'
import { showDate } from './show.ts'

/** Shows a day YYYY-MM-DD in words, such as "11 Nov 2026". Another text shows nothing. */
export function DayWords({ day }: { day: string }) {
  const language = useLanguage()
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? <Text size="sm">{showDate(day, language)}</Text> : null
}

/** Shows the field. `value` is the chosen day as YYYY-MM-DD, or empty. */
export function DayField({ value, ...props }: TextInputProps & { value: string }) {
  return (
    <TextInput
      {...props}
      type="date"
      value={value}
      inputContainer={(field) => (
        <>
          {field}
          <DayWords day={value} />
        </>
      )}
    />
  )
}

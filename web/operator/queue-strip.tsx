// Shows operators the problems that must not wait: old records, and a check of the books that found contradictions.

import { Title } from '@mantine/core'
import { agoInSwahili } from '../ui/ago.ts'
import type { Environment } from '../ui/data.ts'
import { Icon } from '../ui/icons.tsx'
import { texts, useLanguage, useTexts } from '../ui/language.ts'
import { PageLink, Time } from '../ui/parts.tsx'
import { showAge, showCount } from '../ui/show.ts'
import type { QueueItem } from './operator.ts'
import { queueTexts } from './queue-texts.ts'

/** A record that waits longer than this time, in milliseconds, is old. */
const OLD_MS = 24 * 3_600_000

const stripTexts = texts({
  sw: {
    title: 'Yanayohitaji uangalizi sasa',
    old: (name: string, age: string) => `${name}: ya zamani zaidi inasubiri tangu ${agoInSwahili(age)}`,
    open: 'Fungua orodha',
    books: (count: string) => `Ukaguzi wa mwisho wa vitabu ulikuta migongano ${count}`,
    unknown: 'Ukaguzi wa mwisho wa vitabu haukumalizika',
    books_open: 'Angalia ukaguzi',
  },
  en: {
    title: 'Needs attention now',
    old: (name: string, age: string) => `${name}: the oldest waits for ${age}`,
    open: 'Open the list',
    books: (count: string) =>
      `The last check of the books found ${count} ${count === '1' ? 'contradiction' : 'contradictions'}`,
    unknown: 'The last check of the books ended without a result',
    books_open: 'See the check',
  },
})

/**
 * The last check of the books, if it found contradictions or ended without a result. Otherwise null. Null as `problems` means
 * that the check ended without a result.
 */
export type FailedCheck = { finished_at: string; problems: number | null } | null

/**
 * Shows the old records and the failed check. The element exists also without problems, so that screen readers announce new
 * problems.
 */
export function QueueStrip({
  items,
  failed_check,
  environment,
  pageOf,
}: {
  items: readonly QueueItem[]
  failed_check: FailedCheck
  environment: Environment
  pageOf: (kind: QueueItem['kind'], environment: Environment) => string
}) {
  const t = useTexts(stripTexts)
  const { kinds } = useTexts(queueTexts)
  const language = useLanguage()
  const old = items.filter(({ oldest_at }) => oldest_at !== null && Date.now() - Date.parse(oldest_at) > OLD_MS)
  return (
    <div role="status">
      {old.length === 0 && failed_check === null ? null : (
        <section className="attention" aria-labelledby="attention-title">
          <Title order={2} id="attention-title">
            {t.title}
          </Title>
          <ul>
            {failed_check === null ? null : (
              <li>
                <Icon name="alert" size={20} />
                <div className="attention-text">
                  <p>
                    <strong>
                      {failed_check.problems === null ? t.unknown : t.books(showCount(failed_check.problems))}
                    </strong>
                  </p>
                  <p className="beside">
                    <Time time={failed_check.finished_at} />
                  </p>
                </div>
                <PageLink to="system" className="attention-open">
                  {t.books_open}
                </PageLink>
              </li>
            )}
            {old.map(({ kind, oldest_at }) => (
              <li key={kind}>
                <Icon name="alert" size={20} />
                <p className="attention-text">
                  <strong>{t.old(kinds[kind].name, showAge(oldest_at ?? '', language))}</strong>
                </p>
                <PageLink to={pageOf(kind, environment)} className="attention-open">
                  {t.open}
                </PageLink>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

// Reads the consoles in a browser: the total below a list, a saved file, the figures of the first page.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Visitor } from './office.ts'
import { centsOf, type Sum } from './totals-sums.ts'

const NO_MATCH = 'Nothing matches these filters.'

/** Differences between a page and the books, one difference per line. */
export type Differences = string[]

/** If the page and the books differ, records the difference. */
export function compare(differences: Differences, where: string, says: unknown, is: unknown): void {
  if (String(says) !== String(is)) differences.push(`${where}: the page says ${says}, it is ${is}`)
}

/** Returns the total that the page shows below the list. If the page shows no total, returns 0. */
export async function total({ page }: Visitor): Promise<number> {
  const line = page.getByText(/^Total: [\d,]+$/)
  const none = page.getByText(NO_MATCH)
  await line.or(none).first().waitFor()
  return (await line.count()) === 0 ? 0 : Number((await line.innerText()).replace(/\D/g, ''))
}

/** Chooses a value in a filter, and waits until the page shows the total of the response instead of the total before. */
export async function choose(
  { page }: Visitor,
  label: string,
  value: string,
  call: RegExp,
  filter: string,
): Promise<void> {
  const answered = page.waitForResponse((reply) => {
    const { pathname, searchParams } = new URL(reply.url())
    return call.test(pathname) && searchParams.get(filter) === value
  })
  await page.getByLabel(label, { exact: true }).selectOption(value)
  const { total_items } = (await (await answered).json()).data.pagination
  const shown = page.getByText(`Total: ${total_items.toLocaleString('en')}`, { exact: true })
  await (total_items === 0 ? page.getByText(NO_MATCH) : shown).waitFor()
}

/**
 * Saves the file of "Download CSV". Returns its number of rows and the sum of a column, in which debits of transactions count
 * as negative.
 */
export async function file({ page }: Visitor, column: string): Promise<Sum> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const lines = readFileSync(await download.path(), 'utf8').replace(/^\ufeff/, '')
  const [head = '', ...rows] = lines.trim().split('\r\n')
  const columns = head.split(',')
  const [place, direction] = [columns.indexOf(column), columns.indexOf('direction')]
  assert.ok(place >= 0, `no ${column} in ${head}`)
  const amountOf = (cells: string[]) => centsOf(cells[place] ?? '') * (cells[direction] === 'debit' ? -1n : 1n)
  return { count: rows.length, minor: rows.reduce((sum, row) => sum + amountOf(row.split(',')), 0n) }
}

/** Returns the figures of the first page by section and name: the large text, and the text beside the large text. */
export async function figures({ page }: Visitor): Promise<Record<string, { figure: string; beside: string }>> {
  await page.getByText('Paid out', { exact: true }).waitFor()
  await page.getByText('Money for withdrawals.').waitFor()
  // Before the response, the page shows the names with grey places for the figures.
  await page.locator('.figure-loading').first().waitFor({ state: 'detached' })
  const found = await page.evaluate<
    [string, string, string][]
  >(`[...document.querySelectorAll('dl.totals > div')].map((one) => [
    one.closest('section').getAttribute('aria-labelledby') + ' ' + one.querySelector('dt').textContent,
    one.querySelector('.figure').textContent, one.querySelector('.beside').textContent])`)
  return Object.fromEntries(found.map(([name, figure, beside]) => [name, { figure, beside }]))
}

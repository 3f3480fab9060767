// Makes a click on a row of a list open its record. The row keeps a real link for the keyboard and for screen readers.

import type { MouseEvent } from 'react'

/**
 * Moves the focus to the link of the next row, or of the previous row if `step` is -1. If no row has the focus, moves the focus
 * to the first or the last row.
 */
export function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('main a[data-row-link]')]
  const place = links.indexOf(document.activeElement as HTMLAnchorElement)
  const next = place < 0 ? (step === 1 ? 0 : links.length - 1) : place + step
  links[next]?.focus()
}

/** The elements of a row on which a click has an effect of its own. */
const OWN_ACT = 'a, button, input, label, select, summary'

/**
 * Opens the link of a row for a click beside the link. A middle click or Ctrl-click opens a new tab, as on the link.
 */
export function openRow(event: MouseEvent<HTMLElement>): void {
  const link = event.currentTarget.querySelector<HTMLAnchorElement>('a[data-row-link]')
  if (link === null || event.defaultPrevented || !(event.target instanceof Element)) return
  if (event.target.closest(OWN_ACT) !== null || getSelection()?.toString()) return
  if (event.button === 1 || event.ctrlKey || event.metaKey) open(link.href, '_blank', 'noopener')
  else if (event.button === 0) link.click()
}

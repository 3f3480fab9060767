// From what a screen shows to the page that is sent.

import { type Content, plainPage, shopPage } from './layout.ts'
import { chooseScreen } from './screens-choose.ts'
import { endedScreen, inProgressScreen, lostScreen, refusedScreen } from './screens-link.ts'
import { invoiceScreen, receiptScreen } from './screens-papers.ts'
import { failedScreen, helpScreen, paidScreen, reversedScreen, reviewScreen, successScreen } from './screens-result.ts'
import { qrScreen, slowScreen, waitingScreen } from './screens-waiting.ts'
import type { Screen } from './view.ts'

/** The page of a screen. Pure: the same screen is the same page. */
export function renderScreen(view: Screen): string {
  const content = contentOf(view)
  return 'merchant_name' in view ? shopPage(view, content) : plainPage(view, content)
}

function contentOf(view: Screen): Content {
  switch (view.screen) {
    case 'choose':
      return chooseScreen(view)
    case 'waiting_push':
    case 'waiting_wallet':
      return waitingScreen(view)
    case 'qr':
      return qrScreen(view)
    case 'slow':
      return slowScreen(view)
    case 'success':
      return successScreen(view)
    case 'failed':
      return failedScreen(view)
    case 'review':
      return reviewScreen(view)
    case 'reversed':
      return reversedScreen(view)
    case 'paid':
      return paidScreen(view)
    case 'in_progress':
      return inProgressScreen(view)
    case 'expired':
    case 'cancelled':
      return endedScreen(view)
    case 'receipt':
      return receiptScreen(view)
    case 'invoice':
      return invoiceScreen(view)
    case 'help':
      return helpScreen(view)
    case 'too_many':
    case 'provider_unavailable':
    case 'form_expired':
      return refusedScreen(view)
    case 'unknown':
    case 'server_error':
      return lostScreen(view)
  }
}

/** The HTTP status of a screen. What became of a payment is always a page that was found. */
export function statusOf(view: Screen): number {
  switch (view.screen) {
    case 'choose':
      return view.problems.length > 0 ? 422 : 200
    case 'unknown':
      return 404
    case 'form_expired':
      return 422
    case 'too_many':
      return 429
    case 'provider_unavailable':
      return 503
    case 'server_error':
      return 500
    default:
      return 200
  }
}

/** What the script reads: the screen that the page would show now, and for a prompt the seconds it has left. */
export type PollAnswer = { state: Screen['screen']; next_s?: number; left_s?: number }

/** The answer to a poll, as text. A few dozen bytes: a phone asks some 35 times for one payment. */
export function pollAnswer(answer: PollAnswer): string {
  return JSON.stringify(answer)
}

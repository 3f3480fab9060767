// Renders a screen of the pay page as HTML, and returns its HTTP status and the response to a poll.

import { plainPage, type ScreenContent, shopPage } from './layout.ts'
import { chooseScreen } from './screens-choose.ts'
import { endedScreen, inProgressScreen, lostScreen, refusedScreen } from './screens-link.ts'
import { invoiceScreen, receiptScreen } from './screens-papers.ts'
import { failedScreen, helpScreen, paidScreen, reversedScreen, reviewScreen, successScreen } from './screens-result.ts'
import { qrScreen, slowScreen, waitingScreen } from './screens-waiting.ts'
import type { Screen } from './view.ts'

/** Returns the HTML of a screen. The function is pure: equal screens give equal pages. */
export function renderScreen(view: Screen): string {
  const content = screenContent(view)
  return 'merchant_name' in view ? shopPage(view, content) : plainPage(view, content)
}

function screenContent(view: Screen): ScreenContent {
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
    case 'no_payments':
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

/** Returns the HTTP status of a screen. For every state of a payment, the status is 200. */
export function screenStatus(view: Screen): number {
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

/**
 * The response to a poll: the current screen, and the seconds until an open prompt expires. If `next_s` is undefined, the
 * script chooses the pause before its next poll.
 */
export type PollAnswer = { state: Screen['screen']; next_s?: number; left_s?: number }

/** Returns the response to a poll as JSON. The response is short, because a phone polls about 35 times during one payment. */
export function pollAnswer(answer: PollAnswer): string {
  return JSON.stringify(answer)
}

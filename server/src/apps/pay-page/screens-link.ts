// Renders the screens of a link that currently accepts no payment, and the screens of refused requests and errors.

import { type Html, html, showTime } from '../../kernel/lib/index.ts'
import type { ScreenContent } from './layout.ts'
import {
  endOfPrompt,
  factList,
  fullMinute,
  linkButton,
  localPath,
  merchantOf,
  nowrap,
  paragraph,
  stateSection,
  summary,
  unansweredBox,
} from './parts.ts'
import { pageTexts } from './texts.ts'
import type { EndedScreen, InProgressScreen, LostScreen, RefusedScreen } from './view.ts'

/**
 * Returns the screen of a link with a payment in progress. The masked number of an open prompt tells a payer whose first answer
 * was lost which phone has the request.
 */
export function inProgressScreen(view: InProgressScreen): ScreenContent {
  const t = pageTexts(view.language)
  const lines = view.kind === 'out' ? openPrompt(view) : paragraph(t, UNANSWERED_TEXTS[view.kind])
  const rest = html`${lines}<a class="button first" id="own" hidden>${t.say('own_payment')}</a>
${linkButton(localPath(view, view.check_path), t.say('check_again'))}`
  const { poll_path, check_path } = view
  return {
    title: t.plain('in_progress'),
    body: html`${stateSection('wait', t.say('in_progress'), rest)}${summary(view)}`,
    polling: { poll_path, check_path, state: view.screen },
  }
}

function openPrompt(view: Extract<InProgressScreen, { kind: 'out' }>): Html {
  const { say } = pageTexts(view.language)
  const phone = html`<strong>${nowrap(view.phone_masked)}</strong>`
  return html`<p>${say(view.test ? 'in_progress_lead_test' : 'in_progress_lead', { phone })}</p>
<p>${say('in_progress_wait', { time: endOfPrompt(view.ends_at) })}</p>
`
}

const UNANSWERED_TEXTS = { prompt: 'unanswered', code: 'unanswered_code' } as const

/** Returns the screen of an expired or cancelled link, or of a merchant that takes no payments. */
export function endedScreen(view: EndedScreen): ScreenContent {
  const t = pageTexts(view.language)
  const expired = view.screen === 'expired'
  const merchant = merchantOf(view)
  const rest = html`<p>${t.say(`${view.screen}_lead`, { merchant })}</p>
`
  const when =
    expired && view.expired_at && factList([[t.say('expired_at'), nowrap(showTime(view.expired_at, view.language))]])
  return {
    title: t.plain(view.screen),
    body: html`${stateSection('note', t.say(view.screen), rest)}${unansweredBox(view, view.unanswered)}${summary(view, 'p', when || null)}`,
    polling: view.unanswered,
  }
}

/** Returns the screen of a refused request: a rate limit, an unavailable provider, or an outdated form. */
export function refusedScreen(view: RefusedScreen): ScreenContent {
  const t = pageTexts(view.language)
  switch (view.screen) {
    case 'too_many': {
      const time = html`<strong>${nowrap(showTime(fullMinute(view.again_at), view.language))}</strong>`
      const rest = html`<p>${t.say('too_many_lead', { time })}</p>
${linkButton(localPath(view, view.open_path), t.say('merchant_name' in view ? 'back_to_payment' : 'open_again'))}`
      const body = html`${stateSection('note', t.say('too_many'), rest)}${'merchant_name' in view && summary(view)}`
      return { title: t.plain('too_many'), body }
    }
    case 'provider_unavailable': {
      const rest = html`${paragraph(t, 'unavailable_lead')}${linkButton(localPath(view, view.pay_path), t.say(view.other_way ? 'use_other_way' : 'try_again'))}`
      return {
        title: t.plain('unavailable'),
        body: html`${stateSection('bad', t.say('unavailable'), rest)}${summary(view)}`,
      }
    }
    case 'form_expired': {
      const rest = html`${paragraph(t, 'stale_lead')}${linkButton(localPath(view, view.open_path), t.say('open_again'))}`
      return { title: t.plain('stale'), body: stateSection('note', t.say('stale'), rest) }
    }
  }
}

/** Returns the screen of an unknown address, or of an error of the server. */
export function lostScreen(view: LostScreen): ScreenContent {
  const t = pageTexts(view.language)
  if (view.screen === 'unknown') {
    return { title: t.plain('unknown'), body: stateSection('note', t.say('unknown'), paragraph(t, 'unknown_lead')) }
  }
  const rest = html`${paragraph(t, 'broken_lead')}${linkButton(localPath(view, view.url), t.say('open_again'))}`
  return { title: t.plain('broken'), body: stateSection('bad', t.say('broken'), rest) }
}

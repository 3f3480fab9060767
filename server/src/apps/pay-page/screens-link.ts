// Where a link stands when nobody can pay on it, and what to read when something is wrong.

import { html, showTime } from '../../kernel/lib/index.ts'
import type { Content } from './layout.ts'
import { facts, lead, linkButton, local, merchantOf, state, summary, unansweredBox, whole } from './parts.ts'
import { speaker } from './texts.ts'
import type { EndedScreen, InProgressScreen, LostScreen, RefusedScreen } from './view.ts'

const MINUTE_MS = 60_000

/** Somebody is paying. Who it is, is not said. */
export function inProgressScreen(view: InProgressScreen): Content {
  const t = speaker(view.language)
  const leads = view.kind === 'out' ? (['in_progress_lead', 'in_progress_wait'] as const) : ([SAID[view.kind]] as const)
  const rest = html`${leads.map((key) => lead(t, key))}${linkButton(local(view, view.check_path), t.say('check_again'))}`
  const { poll_path, check_path } = view
  return {
    title: t.plain('in_progress'),
    body: html`${state('wait', t.say('in_progress'), rest)}${summary(view)}`,
    watched: { poll_path, check_path, state: view.screen },
  }
}

const SAID = { prompt: 'unanswered', code: 'unanswered_code' } as const

/** Nobody can pay here any more. */
export function endedScreen(view: EndedScreen): Content {
  const t = speaker(view.language)
  const expired = view.screen === 'expired'
  const merchant = merchantOf(view)
  const rest = html`<p>${expired ? t.say('expired_lead', { merchant }) : t.say('cancelled_lead', { merchant })}</p>
`
  const when =
    expired && view.expired_at && facts([[t.say('expired_at'), whole(showTime(view.expired_at, view.language))]])
  return {
    title: t.plain(view.screen),
    body: html`${state('note', t.say(view.screen), rest)}${unansweredBox(view, view.unanswered)}${summary(view, 'p', when || null)}`,
    watched: view.unanswered,
  }
}

/** Nothing was sent. */
export function refusedScreen(view: RefusedScreen): Content {
  const t = speaker(view.language)
  switch (view.screen) {
    case 'too_many': {
      // Seconds are not shown: whoever tries in the minute that is named must not be too early.
      const again_at = new Date(Math.ceil(view.again_at.getTime() / MINUTE_MS) * MINUTE_MS)
      const time = html`<strong>${whole(showTime(again_at, view.language))}</strong>`
      const rest = html`<p>${t.say('too_many_lead', { time })}</p>
${linkButton(local(view, view.open_path), t.say('merchant_name' in view ? 'back_to_payment' : 'open_again'))}`
      const body = html`${state('note', t.say('too_many'), rest)}${'merchant_name' in view && summary(view)}`
      return { title: t.plain('too_many'), body }
    }
    case 'provider_unavailable': {
      const rest = html`${lead(t, 'unavailable_lead')}${linkButton(local(view, view.pay_path), t.say(view.other_way ? 'use_other_way' : 'try_again'))}`
      return { title: t.plain('unavailable'), body: html`${state('bad', t.say('unavailable'), rest)}${summary(view)}` }
    }
    case 'form_expired': {
      const rest = html`${lead(t, 'stale_lead')}${linkButton(local(view, view.open_path), t.say('open_again'))}`
      return { title: t.plain('stale'), body: state('note', t.say('stale'), rest) }
    }
  }
}

/** Nothing is known of this address, or we failed. */
export function lostScreen(view: LostScreen): Content {
  const t = speaker(view.language)
  if (view.screen === 'unknown') {
    return { title: t.plain('unknown'), body: state('note', t.say('unknown'), lead(t, 'unknown_lead')) }
  }
  const rest = html`${lead(t, 'broken_lead')}${linkButton(local(view, view.url), t.say('open_again'))}`
  return { title: t.plain('broken'), body: state('bad', t.say('broken'), rest) }
}

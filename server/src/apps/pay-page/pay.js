// The script of the pay page. It polls for the state of the payment, shows the countdown, and blocks double submits. Every page
// works without the script. Browsers without module support do not load the script.

const find = (selector) => document.querySelector(selector)
const all = (selector) => document.querySelectorAll(selector)
const show = (element, visible = true) => {
  if (element) element.hidden = !visible
}
const main = find('main')
const say = (text) => {
  find('#live').textContent = text ?? ''
}

// The network ----------------------------------------------------------------------------------------------------------

const notice = find('#offline')
const first = notice?.textContent
// The number of forms that the server may have received. If there is one, the notice says so.
let submitted = 0
// True if the payer pressed a button of a form without a network. Then the notice says that the page sent nothing.
let unsent = false
/** Shows or hides the notice about the network. Returns true if the browser has no network. */
function offline(tap) {
  const gone = navigator.onLine === false
  unsent = gone && (unsent || tap)
  if (notice) notice.textContent = (submitted ? notice.dataset.sent : unsent && notice.dataset.unsent) || first
  show(notice, gone)
  if (gone) say(notice?.textContent)
  return gone
}
/** Moves the notice below the tapped button or link, and scrolls to it. The header has no room for the notice. */
function noticeAt(tapped) {
  if (!notice) return
  const place = tapped?.closest('p') ?? tapped
  if (tapped?.closest('header')) main.prepend(notice)
  else place?.after(notice)
  notice.scrollIntoView({ block: 'nearest' })
}
// Without a network, the error page of the browser would replace this page.
addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="/"], a[href^="http"]')
  if (!notice || !link || !offline()) return
  event.preventDefault()
  noticeAt(link)
})

// Polling --------------------------------------------------------------------------------------------------------------

const { poll, go, state, left, total, say60, say30, say0 } = main.dataset
const FIRST_MS = 3_000
const LONGEST_MS = 10_000
const SLOW_MS = 15_000
const SLOW_FOR_MS = 600_000
const GIVE_UP_MS = 15_000
const RUSH_MS = 1_000
const PACE_WITHOUT_COUNTDOWN_S = 120

// The server sends the number of seconds that are left, because clocks of phones are often wrong.
let ends = performance.now() + Number(left ?? PACE_WITHOUT_COUNTDOWN_S) * 1000
const stops = ends + SLOW_FOR_MS
let pause = FIRST_MS
let polled_at = Number.NEGATIVE_INFINITY
let asking = false
let over = false
let timer

const away = () => document.hidden || navigator.onLine === false

function later(ms) {
  clearTimeout(timer)
  if (over || away()) return
  if (performance.now() >= stops) return show(find('#stopped'))
  timer = setTimeout(ask, ms)
}

/**
 * Returns the pause before the next poll in milliseconds. The pause grows while the prompt is valid, and is long afterwards.
 */
function nextPause() {
  if (performance.now() >= ends) return SLOW_MS
  const now = pause
  pause = Math.min(pause * 1.25, LONGEST_MS)
  return now
}

async function ask() {
  clearTimeout(timer)
  if (asking || over) return
  // If the script opened another page now, the browser would abort the form that it is sending.
  if (sent) return later(nextPause())
  asking = true
  polled_at = performance.now()
  const control = new AbortController()
  const alarm = setTimeout(() => control.abort(), GIVE_UP_MS)
  let wait = 0
  try {
    const answer = await fetch(poll, { cache: 'no-store', signal: control.signal })
    const body = answer.ok ? await answer.json() : {}
    wait = 1000 * (Number(answer.headers.get('retry-after')) || body.next_s || 0)
    if (body.left_s >= 0) ends = performance.now() + body.left_s * 1000
    if (body.state && body.state !== state && !sent) return leave()
  } catch {
    // If the network or the answer is missing, the script polls again later.
  } finally {
    clearTimeout(alarm)
    asking = false
    later(Math.max(wait, nextPause()))
  }
}

function leave() {
  over = true
  // Browsers block vibration before the payer first touches the page.
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(200)
  location.replace(go)
}

/** The prompt covers the browser. When the payer comes back, the script polls immediately. */
function resume() {
  offline()
  if (away()) return clearTimeout(timer)
  if (performance.now() - polled_at > RUSH_MS) void ask()
  else later(nextPause())
}

// Counting -------------------------------------------------------------------------------------------------------------

const announced = new Set()
function announce(mark, text) {
  if (announced.has(mark)) return
  announced.add(mark)
  say(text)
}

function tick() {
  if (over) return
  const seconds = Math.max(0, Math.ceil((ends - performance.now()) / 1000))
  find('#clock').textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  find('#bar').style.transform = `scaleX(${Math.min(1, seconds / Number(total))})`
  if (seconds === 0) {
    // The end of the countdown does not end the payment. The server decides the next state.
    if (!announced.has(0)) void ask()
    announce(0, say0)
  } else if (seconds <= 30) announce(30, say30)
  else if (seconds <= 60) announce(60, say60)
}

if (poll) {
  show(find('#moves-on'))
  for (const event of ['online', 'offline']) addEventListener(event, resume)
  document.addEventListener('visibilitychange', resume)
  addEventListener('pageshow', (event) => event.persisted && resume())
  if (left !== undefined) {
    // The script announces only the marks that the countdown reaches after the browser has opened the page.
    for (const mark of [60, 30]) if (Number(left) <= mark) announced.add(mark)
    show(find('#countdown'))
    tick()
    setInterval(tick, 1000)
  }
  if (navigator.onLine === false) resume()
  else later(nextPause())
} else {
  addEventListener('online', offline)
  addEventListener('offline', () => submitted && offline())
}

// Forms ----------------------------------------------------------------------------------------------------------------

// For this time after the payer sent a form, a second tap sends nothing. A repeated form would be harmless, because its
// idempotency key is the same.
const SENDING_MS = 20_000
/** The wait in seconds after a busy answer that names none. */
const BUSY_S = 30
let sent = false
let release
const buttons = (disabled) => {
  sent = disabled
  // The script disables the buttons after the browser has read the form, because a browser does not send the value of a
  // disabled button.
  setTimeout(() => {
    for (const button of all('form button')) button.disabled = sent
  })
}
addEventListener('submit', (event) => {
  if (sent || (notice && offline(true))) {
    noticeAt(event.submitter)
    return event.preventDefault()
  }
  submitted += 1
  // Older browsers do not tell which button the payer pressed, and send the form themselves.
  if (event.submitter) {
    event.preventDefault()
    void send(event.target, event.submitter)
  }
  buttons(true)
  release = setTimeout(() => buttons(false), SENDING_MS)
})
/**
 * Keeps the path of the last payment in this browser, and returns it. If the browser stores nothing, returns undefined. While the
 * link has an open payment, its page links to the payment that this browser started.
 */
function keep(path) {
  try {
    if (path) localStorage.payment = path
    return localStorage.payment
  } catch {}
}
const own = find('#own')
if (own && keep()?.startsWith(`${location.pathname}/`)) {
  own.href = keep()
  show(own)
}
/**
 * Sends a form and opens the page that the server names. If the connection breaks, the page and what the payer typed stay open.
 * If the server names no page, the script shows the page of the answer, for example the form with the wrong fields.
 */
async function send(form, button) {
  const { name, value } = button
  const hidden = document.createElement('input')
  Object.assign(hidden, { type: 'hidden', name, value })
  if (name) form.append(hidden)
  say(notice?.dataset.sending)
  try {
    const body = new URLSearchParams(new FormData(form))
    const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'application/json' } })
    const text = await answer.text()
    // Each page of this server has the notice. The page of a proxy must not replace the form and its idempotency key.
    if (text.includes('id="offline"')) return showPage(text)
    // The server or a proxy is busy. The form stays, because a second request would also be refused.
    if ([429, 503].includes(answer.status)) throw Number(answer.headers.get('retry-after')) || BUSY_S
    if (!/json/.test(answer.headers.get('content-type'))) throw 0
    const { go } = JSON.parse(text)
    // A proxy or a firewall answered. The browser then sends the form itself and shows the next answer.
    if (!go) return form.submit()
    // If another payment of the link is open, the server names the page of the link.
    if (go.includes('/c/')) keep(go)
    location.assign(go)
  } catch (wait) {
    buttons(false)
    // The busy server refused this form. It may still have received an earlier one.
    if (wait > 0) submitted -= 1
    offline()
    if (wait > 0 && notice) notice.textContent = notice.dataset.busy.replace('{s}', wait)
    show(notice)
    say(notice?.textContent)
    noticeAt(button)
  }
  hidden.remove()
}
/** Replaces this page, without a navigation. Its listeners end. A browser runs a module again only with another address. */
function showPage(page) {
  over = true
  clearTimeout(timer)
  clearTimeout(release)
  document.open()
  document.write(page.replace(/(src="[^"]+\.js)/, `$1#${Math.random()}`))
  document.close()
  scrollTo(0, 0)
  // A browser moves the focus of `autofocus` only once in a document.
  find('[autofocus]')?.focus()
}
addEventListener('pageshow', () => buttons(false))

const phone = find('#phone')
/**
 * Marks the network of the typed number. If no network has the prefix of a complete number, the script shows a hint, because
 * payers mistype.
 */
phone?.addEventListener('input', () => {
  const digits = phone.value.replace(/\D/g, '').replace(/^(?:(?:00)?2550?|0)/, '')
  let known = !/^[67]\d{8}$/.test(digits) || !find('#networks')
  for (const mark of all('[data-prefixes]')) {
    const on = digits.length > 1 && mark.dataset.prefixes.split(' ').includes(digits.slice(0, 2))
    mark.classList.toggle('on', on)
    known ||= on
  }
  show(find('#other-network'), !known)
  if (/^[67]\d{8}$/.test(digits)) hidePhoneProblem()
})
/** Hides the refusal of an earlier number after the payer has typed a complete one. The server checks the new number. */
function hidePhoneProblem() {
  phone.removeAttribute('aria-invalid')
  show(find('#phone-problem'), false)
  show(find('.problems a[href="#phone"]')?.closest('li'), false)
  show(find('.problems'), find('.problems li:not([hidden])') !== null)
}
phone?.addEventListener('change', () => {
  const digits = phone.value.replace(/[\s.()-]/g, '').match(/^(?:(?:\+|00)?2550?|0)?([67]\d{8})$/)?.[1]
  if (digits) phone.value = `0${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`
})

// Copying, sharing, printing, going back -------------------------------------------------------------------------------

function offer(selector, possible, act) {
  for (const button of possible ? all(selector) : []) {
    show(button)
    button.addEventListener('click', () => act(button))
  }
}

offer('[data-copy]', navigator.clipboard, async (button) => {
  await navigator.clipboard.writeText(button.dataset.copy)
  button.textContent = button.dataset.done
  say(button.dataset.done)
})
offer('[data-share]', navigator.share, (button) => navigator.share({ text: button.dataset.share }).catch(() => {}))
offer('[data-print]', true, () => print())

// The script follows the link only once. If the payer comes back to this page, the page stays open.
const back = find('#back[data-auto]')
if (back && !history.state?.left) {
  show(find('#leaving'))
  say(find('#leaving p').textContent)
  const leaving = setTimeout(() => {
    history.replaceState({ left: true }, '')
    location.href = back.href
  }, 5000)
  find('#stay').addEventListener('click', () => {
    clearTimeout(leaving)
    history.replaceState({ left: true }, '')
    show(find('#leaving'), false)
    back.focus()
  })
}

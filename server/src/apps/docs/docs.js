// The script of the documentation. It adds search results, copy buttons, the theme, one language for all examples, a form that
// sends calls, and the reader's own ids. Every page works without it.

;(() => {
  const root = document.documentElement
  const THEME = 'docs.theme'
  const LANGUAGE = 'docs.language'

  const read = (name) => {
    try {
      return localStorage.getItem(name)
    } catch {
      return null
    }
  }
  const keep = (name, value) => {
    try {
      localStorage.setItem(name, value)
    } catch {
      // If the browser has no storage, the choice ends when the reader leaves the page.
    }
  }

  // The page waits for this script, because the theme must be set before the browser paints the page.
  root.dataset.scripted = ''
  const chosen = read(THEME)
  if (chosen === 'dark' || chosen === 'light') root.dataset.theme = chosen

  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)]

  function addTheme() {
    const button = document.querySelector('.docs-theme')
    button.hidden = false
    button.addEventListener('click', () => {
      const is_dark =
        (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
      root.dataset.theme = is_dark ? 'light' : 'dark'
      keep(THEME, root.dataset.theme)
    })
  }

  // Examples --------------------------------------------------------------------------------------------------------------

  function chooseLanguage(language) {
    for (const input of all(`.tabs > input[value="${CSS.escape(language)}"]`)) input.checked = true
  }

  function addLanguages() {
    const language = read(LANGUAGE)
    if (language !== null) chooseLanguage(language)
    for (const input of all('.tabs > input'))
      input.addEventListener('change', () => {
        const { top } = input.getBoundingClientRect()
        chooseLanguage(input.value)
        keep(LANGUAGE, input.value)
        // The examples above may have become longer or shorter. The scroll keeps the example under the pointer in its position.
        scrollBy({ top: input.getBoundingClientRect().top - top, behavior: 'instant' })
      })
  }

  async function copy(text, button) {
    const { copied } = document.body.dataset
    const label = button.textContent
    await navigator.clipboard.writeText(text)
    button.textContent = copied
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  }

  function addCopying() {
    if (!navigator.clipboard) return
    for (const block of all('.code')) {
      const button = document.createElement('button')
      button.type = 'button'
      button.className = 'copy'
      button.textContent = document.body.dataset.copy
      button.addEventListener('click', () => {
        const shown = all('pre', block).find((pre) => pre.offsetParent !== null)
        void copy(shown?.textContent ?? '', button)
      })
      block.append(button)
    }
    for (const button of all('[data-copy-page]')) {
      button.hidden = false
      button.addEventListener('click', async () => {
        const answer = await fetch(button.dataset.copyPage)
        if (answer.ok) await copy(await answer.text(), button)
      })
    }
  }

  // Search ----------------------------------------------------------------------------------------------------------------

  const PAUSE_MS = 150
  const SHOWN_MAX = 8

  function addSearch() {
    const form = document.querySelector('.docs-search')
    const input = form.querySelector('input')
    const list = document.createElement('ul')
    list.className = 'docs-instant'
    list.hidden = true
    form.append(list)
    const known = new Map()
    let timer
    const close = () => {
      list.hidden = true
    }
    const show = (query, results) => {
      if (input.value.trim() !== query) return
      list.replaceChildren(...results.slice(0, SHOWN_MAX).map(resultItem))
      list.hidden = results.length === 0
    }
    const ask = async () => {
      const query = input.value.trim()
      if (query.length < 2) return close()
      if (known.has(query)) return show(query, known.get(query))
      const answer = await fetch(`/docs/search.json?q=${encodeURIComponent(query)}`)
      // If the server refuses the request, as after the rate limit, the reader can still send the form.
      if (!answer.ok) return close()
      const { results } = await answer.json()
      known.set(query, results)
      show(query, results)
    }
    input.addEventListener('input', () => {
      clearTimeout(timer)
      timer = setTimeout(ask, PAUSE_MS)
    })
    form.addEventListener('keydown', (event) => {
      const links = all('a', list)
      if (event.key === 'Escape') {
        close()
        input.focus()
        return
      }
      if (list.hidden || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
      event.preventDefault()
      const place = links.indexOf(document.activeElement)
      const next = event.key === 'ArrowDown' ? place + 1 : place - 1
      ;(links[next] ?? input).focus()
    })
    document.addEventListener('focusin', ({ target }) => {
      if (!form.contains(target)) close()
    })
    document.addEventListener('click', ({ target }) => {
      if (!form.contains(target)) close()
    })
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof Element && event.target.closest('input, textarea, select')) return
      event.preventDefault()
      input.focus()
    })
  }

  function resultItem({ path, anchor, title, heading, excerpt }) {
    const item = document.createElement('li')
    const link = document.createElement('a')
    const name = document.createElement('strong')
    const text = document.createElement('small')
    const { lang } = document.body.dataset
    link.href = `${path}${lang === undefined ? '' : `?lang=${lang}`}${anchor === '' ? '' : `#${anchor}`}`
    name.textContent = heading === '' ? title : `${title} › ${heading}`
    text.textContent = excerpt
    link.append(name, text)
    item.append(link)
    return item
  }

  // Contents --------------------------------------------------------------------------------------------------------------

  /** Marks the visible heading in the list "On this page". */
  function addReading() {
    const links = new Map(all('.docs-contents a').map((link) => [link.hash.slice(1), link]))
    if (links.size === 0) return
    const watch = new IntersectionObserver(
      (entries) => {
        const seen = entries.find(({ isIntersecting }) => isIntersecting)
        if (seen === undefined) return
        for (const link of links.values()) link.removeAttribute('aria-current')
        links.get(seen.target.id)?.setAttribute('aria-current', 'true')
      },
      { rootMargin: '-10% 0px -75% 0px' },
    )
    for (const id of links.keys()) {
      const heading = document.getElementById(id)
      if (heading !== null) watch.observe(heading)
    }
  }

  // Try it ----------------------------------------------------------------------------------------------------------------

  const SHOWN_HEADERS = ['x-request-id', 'idempotency-replayed', 'retry-after', 'ratelimit-remaining']

  function addTry() {
    const section = document.querySelector('.docs-try')
    if (section === null) return
    const form = section.querySelector('form')
    const key = form.querySelector('.docs-key')
    const problem = form.querySelector('.docs-problem')
    section.hidden = false
    addTryLinks()
    addEventListener('pagehide', () => {
      if (key !== null) key.value = ''
    })
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      problem.textContent = problemOf(form, key?.value.trim())
      if (problem.textContent !== '') return
      const button = form.querySelector('button')
      button.disabled = true
      try {
        await send(form, key?.value.trim(), section.querySelector('.docs-answer'))
      } catch {
        problem.textContent = 'The server did not answer. Check your connection, then send the call again.'
      } finally {
        button.disabled = false
      }
    })
  }

  /** Adds a link to the form to the bar of the call, and shows its link in the list "On this page". */
  function addTryLinks() {
    const link = document.createElement('a')
    link.href = '#try-it'
    link.textContent = 'Try it'
    document.querySelector('.docs-contents li[hidden]')?.removeAttribute('hidden')
    link.className = 'docs-try-link'
    document.querySelector('.call')?.append(link)
  }

  /** Returns the problem of the input. An empty text means that the input has no problem. */
  function problemOf(form, key) {
    const { sandbox, live } = form.dataset
    if (key?.startsWith(live))
      return `This is a live key: the call would move real money. Use a key that begins with ${sandbox}.`
    if (key !== undefined && !key.startsWith(sandbox)) return `Use a sandbox key. It begins with ${sandbox}.`
    const body = form.querySelector('[data-body]')
    try {
      if (body !== null) JSON.parse(body.value)
    } catch (error) {
      return `The body is no valid JSON: ${error.message}`
    }
    return ''
  }

  function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    return `docs-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
  }

  async function send(form, key, shown) {
    let path = form.dataset.path
    for (const input of all('[data-path-value]', form))
      path = path.replace(`{${input.dataset.pathValue}}`, encodeURIComponent(input.value.trim()))
    const query = form.querySelector('[data-query]')?.value.trim()
    const body = form.querySelector('[data-body]')?.value
    const headers = {}
    if (key !== undefined) headers.authorization = `Bearer ${key}`
    if (form.dataset.repeats) headers['idempotency-key'] = newKey()
    if (body !== undefined) headers['content-type'] = 'application/json'
    const begin = performance.now()
    const answer = await fetch(query ? `${path}?${query}` : path, {
      method: form.dataset.method,
      headers,
      body,
      credentials: 'omit',
      cache: 'no-store',
    })
    const text = await readable(answer)
    const ms = Math.round(performance.now() - begin)
    const facts = SHOWN_HEADERS.flatMap((name) =>
      answer.headers.has(name) ? [`${name}: ${answer.headers.get(name)}`] : [],
    )
    shown.querySelector('.docs-answer-status').textContent = [`${answer.status} in ${ms} ms`, ...facts].join(' · ')
    shown.querySelector('code').textContent = text
    shown.hidden = false
    shown.scrollIntoView({ block: 'nearest' })
  }

  async function readable(answer) {
    const type = answer.headers.get('content-type') ?? ''
    if (type.includes('json')) return JSON.stringify(await answer.json(), null, 2)
    if (type.startsWith('text/')) return (await answer.text()).slice(0, 5000)
    return `A file of ${(await answer.blob()).size} bytes: ${type}`
  }

  // The reader's own values -----------------------------------------------------------------------------------------------

  const STORED_USER = 'malipo.dashboard.user:'
  const EXPIRES_SOON_S = 10

  /** Returns the access token of the dashboard session in this tab. Null means that the tab has no valid session. */
  function readToken() {
    try {
      const name = Object.keys(sessionStorage).find((one) => one.startsWith(STORED_USER))
      const { access_token, expires_at } = JSON.parse(sessionStorage.getItem(name) ?? '{}')
      return expires_at > Date.now() / 1000 + EXPIRES_SOON_S ? (access_token ?? null) : null
    } catch {
      return null
    }
  }

  /**
   * Replaces the sample ids of the examples with the reader's own ids, and shows the prefix of the reader's sandbox key.
   */
  async function addReader() {
    const article = document.querySelector('article[data-reader-ids]')
    const token = article === null ? null : readToken()
    if (token === null) return
    const read = async (path) => {
      const answer = await fetch(`${path}?environment=sandbox&page_size=20`, {
        headers: { authorization: `Bearer ${token}` },
        credentials: 'omit',
      })
      return answer.ok ? (await answer.json()).data.items : []
    }
    const keys = await read('/v1/merchant/api-keys')
    const own = keys.find(({ environment, status }) => environment === 'sandbox' && status === 'active')
    let found = 0
    for (const [sample, [list, field]] of Object.entries(JSON.parse(article.dataset.readerIds))) {
      const [record] = await read(list)
      if (record === undefined) continue
      found += 1
      replaceText(article, sample, record[field])
    }
    const notes = []
    if (own) notes.push(`SANDBOX_KEY is your key that begins with ${own.key_prefix}.`)
    if (found > 0) notes.push('The examples contain an id of your own sandbox.')
    if (notes.length > 0) showNote(article, notes.join(' '))
  }

  function replaceText(inside, sample, own) {
    const walker = document.createTreeWalker(inside, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) walker.currentNode.data = walker.currentNode.data.replaceAll(sample, own)
    for (const input of all('[data-path-value]', inside)) if (input.value === sample) input.value = own
  }

  function showNote(article, text) {
    const example = article.querySelector('.code')
    const note = document.createElement('p')
    note.className = 'docs-reader'
    note.textContent = text
    example?.before(note)
  }

  document.addEventListener('DOMContentLoaded', () => {
    addTheme()
    addLanguages()
    addCopying()
    addSearch()
    addReading()
    addTry()
    void addReader().catch(() => {
      // If the server sends no values of the reader, the examples keep their sample ids.
    })
    // The script scrolls the navigation to the current page.
    document.querySelector('.docs-nav [aria-current]')?.scrollIntoView({ block: 'center', behavior: 'instant' })
    if (location.hash === '') scrollTo({ top: 0, behavior: 'instant' })
  })
})()

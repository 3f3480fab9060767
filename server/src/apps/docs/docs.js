// The script of the documentation. Every page works without it: it adds instant results to the search, buttons that copy, the choice
// between light and dark, and one language for all examples.

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
      // Without a storage the choice is lost with the page.
    }
  }

  // The theme must be in place before the browser paints the page, so the page waits for this script.
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
        // Other examples above may have become longer or shorter. The example under the pointer stays in its place.
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
      // Above the rate limit, the reader can still send the form.
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
    link.href = anchor === '' ? path : `${path}#${anchor}`
    name.textContent = heading === '' ? title : `${title} › ${heading}`
    text.textContent = excerpt
    link.append(name, text)
    item.append(link)
    return item
  }

  // Contents --------------------------------------------------------------------------------------------------------------

  /** Marks the heading that the reader sees in "On this page". */
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

  document.addEventListener('DOMContentLoaded', () => {
    addTheme()
    addLanguages()
    addCopying()
    addSearch()
    addReading()
    // The navigation begins at the current page.
    document.querySelector('.docs-nav [aria-current]')?.scrollIntoView({ block: 'center', behavior: 'instant' })
    if (location.hash === '') scrollTo({ top: 0, behavior: 'instant' })
  })
})()

// Defines functions that tests call inside a page. A test sends this file to the browser as text; Node never runs it.

window.look = {
  /** Returns the number of pixels by which the page is wider than its window. */
  overflow: () => document.documentElement.scrollWidth - document.documentElement.clientWidth,

  /** Returns the words and amounts that the browser breaks into two lines. Addresses of e-mail may break. */
  brokenWords: () => {
    const broken = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode
      if (node.parentElement.closest('style, script, noscript, .unseen, [href^="mailto:"]')) continue
      for (const { 0: word, index } of node.data.matchAll(/TZS\s[\d,.]*\d|\p{L}+/gu)) {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word)
      }
    }
    return broken
  },

  openAll: () => {
    for (const element of document.querySelectorAll('details')) element.open = true
  },

  enlarge: () => {
    document.documentElement.style.fontSize = '200%'
  },

  restore: () => {
    document.documentElement.style.fontSize = ''
    for (const element of document.querySelectorAll('details')) element.open = false
  },

  /** Returns the touch targets that are less than 44 pixels high or wide. */
  smallTargets: () =>
    [...document.querySelectorAll('main a, main button, footer a, header a, summary, label.choice, .field input')]
      .filter((element) => element.offsetParent !== null)
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect()
        return height < 43.5 || width < 43.5
      })
      .map((element) => element.outerHTML.slice(0, 120)),

  /** Numbers the elements at which the Tab key should stop, focuses the start of the page, and returns their count. */
  numberStops: () => {
    const all = [...document.querySelectorAll('a[href], button, summary, input:not([type=hidden])')]
    // In a group of choices the Tab key stops only at the chosen element.
    const stops = all.filter(
      (element) =>
        (element.offsetParent !== null || element.matches('.skip')) &&
        !(element.type === 'radio' && !element.checked) &&
        !element.disabled,
    )
    for (const [i, element] of stops.entries()) element.dataset.stop = String(i)
    document.activeElement?.blur()
    document.body.tabIndex = -1
    document.body.focus()
    return stops.length
  },

  /** Returns the number of the focused element, and whether its outline is visible. */
  stop: () => {
    const element = document.activeElement
    return {
      stop: element.dataset.stop ?? element.outerHTML.slice(0, 80),
      seen: getComputedStyle(element).outlineStyle !== 'none',
    }
  },

  /** Returns the elements that should have an edge but have none. */
  withoutEdge: () =>
    [...document.querySelectorAll('.button, .field input, .choice, .stamp')]
      .filter((element) => element.offsetParent !== null)
      .filter((element) => {
        const { borderTopStyle, borderTopWidth } = getComputedStyle(element)
        return borderTopStyle === 'none' || borderTopWidth === '0px'
      })
      .map((element) => element.className),

  /** Returns the number of signs that have the colour of their background. */
  unseenSigns: () =>
    [...document.querySelectorAll('.sign path')].filter(
      (element) => getComputedStyle(element).stroke === getComputedStyle(document.body).backgroundColor,
    ).length,

  fills: () =>
    [...document.querySelectorAll('.code svg rect, .code svg path')].map((element) => {
      const { fill, stroke } = getComputedStyle(element)
      return element.tagName === 'path' ? stroke : fill
    }),

  focused: () => document.activeElement.tagName,

  /** Returns the ways to pay from top to bottom. */
  ways: () =>
    [...document.querySelectorAll('.way')]
      .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
      .map((element) => element.className),
}

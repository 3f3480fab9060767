// What tests ask inside a page. Sent there as text: nothing of it runs in Node.

window.look = {
  /** How far the page reaches beyond its window, in pixels. */
  overflow: () => document.documentElement.scrollWidth - document.documentElement.clientWidth,

  openAll: () => {
    for (const one of document.querySelectorAll('details')) one.open = true
  },

  enlarge: () => {
    document.documentElement.style.fontSize = '200%'
  },

  restore: () => {
    document.documentElement.style.fontSize = ''
    for (const one of document.querySelectorAll('details')) one.open = false
  },

  /** Whatever can be touched and is less than 44 pixels high or wide. */
  smallTargets: () =>
    [...document.querySelectorAll('main a, main button, footer a, header a, summary, label.choice, .field input')]
      .filter((one) => one.offsetParent !== null)
      .filter((one) => {
        const { width, height } = one.getBoundingClientRect()
        return height < 43.5 || width < 43.5
      })
      .map((one) => one.outerHTML.slice(0, 120)),

  /** Numbers whatever the keyboard should stop at, goes to the start of the page, and answers how many there are. */
  numberStops: () => {
    const all = [...document.querySelectorAll('a[href], button, summary, input:not([type=hidden])')]
    // Of a group of choices the keyboard stops at the chosen one.
    const stops = all.filter(
      (one) =>
        (one.offsetParent !== null || one.matches('.skip')) && !(one.type === 'radio' && !one.checked) && !one.disabled,
    )
    for (const [i, one] of stops.entries()) one.dataset.stop = String(i)
    document.activeElement?.blur()
    document.body.tabIndex = -1
    document.body.focus()
    return stops.length
  },

  /** Where the keyboard is, and whether that can be seen. */
  stop: () => {
    const one = document.activeElement
    return { stop: one.dataset.stop ?? one.outerHTML.slice(0, 80), seen: getComputedStyle(one).outlineStyle !== 'none' }
  },

  /** Whatever should have an edge and has none. */
  withoutEdge: () =>
    [...document.querySelectorAll('.button, .field input, .choice, .stamp')]
      .filter((one) => one.offsetParent !== null)
      .filter((one) => {
        const { borderTopStyle, borderTopWidth } = getComputedStyle(one)
        return borderTopStyle === 'none' || borderTopWidth === '0px'
      })
      .map((one) => one.className),

  /** Signs with the colour of their background. */
  unseenSigns: () =>
    [...document.querySelectorAll('.sign path')].filter(
      (one) => getComputedStyle(one).stroke === getComputedStyle(document.body).backgroundColor,
    ).length,

  fills: () =>
    [...document.querySelectorAll('.code svg rect, .code svg path')].map((one) => {
      const { fill, stroke } = getComputedStyle(one)
      return one.tagName === 'path' ? stroke : fill
    }),

  focused: () => document.activeElement.tagName,

  /** The ways to pay from top to bottom. */
  ways: () =>
    [...document.querySelectorAll('.way')]
      .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
      .map((one) => one.className),
}

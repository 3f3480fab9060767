// Shows the states of components that only a pointer or the keyboard causes. For each rule of the consoles with `:hover`,
// `:focus` or `:active`, the gallery adds the same rule for elements that `data-shown` marks.

/** A state that the gallery shows without a pointer. */
export type ShownState = 'hover' | 'focus' | 'pressed'

const marked = (state: ShownState) => `[data-shown~="${state}"]`
const around = (state: ShownState) => `:is(${marked(state)}, :has(${marked(state)}))`

/** The pseudo-classes and the selectors that replace them. A pointer on an element is also on the elements around it. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/:hover/g, around('hover')],
  [/:active/g, around('pressed')],
  [/:focus-within/g, around('focus')],
  [/:focus-visible/g, marked('focus')],
  [/:focus(?!-)/g, marked('focus')],
]

/** Adds the rules for marked elements to the styles of the page, each directly behind the rule that it repeats. */
export function addShownStates(): void {
  for (const sheet of document.styleSheets) addRules(sheet)
}

function addRules(parent: CSSStyleSheet | CSSGroupingRule | CSSStyleRule): void {
  // From the last rule to the first, so that a new rule moves no rule that the loop has not reached.
  for (let place = parent.cssRules.length - 1; place >= 0; place--) {
    const rule = parent.cssRules[place]
    if (rule instanceof CSSGroupingRule || rule instanceof CSSStyleRule) addRules(rule)
    if (!(rule instanceof CSSStyleRule)) continue
    const selector = REPLACED.reduce((text, [pseudo, mark]) => text.replace(pseudo, mark), rule.selectorText)
    if (selector === rule.selectorText) continue
    parent.insertRule(selector + rule.cssText.slice(rule.cssText.indexOf('{')), place + 1)
  }
}

let styles: string | null = null

/** Returns all styles of the page as one text, for the documents of frames. */
export function stylesOfPage(): string {
  styles ??= [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText)).join('\n')
  return styles
}

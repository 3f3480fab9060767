// HTML from templates: whatever is put into one is escaped, unless it is HTML itself.

/** A piece of HTML that is safe to send. Made by `html` only; a text that merely looks like HTML is not one. */
export class Html {
  readonly #text: string
  constructor(token: symbol, text: string) {
    if (token !== OWN) throw new Error('HTML is made by the html template')
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

const OWN = Symbol('html')

/** What a template takes: texts and numbers are escaped; null, undefined and false print nothing. */
export type HtmlValue = Html | string | number | bigint | null | undefined | false | readonly HtmlValue[]

/** Writes HTML: html`<p>${text}</p>`. Attribute values must stand in double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] as string
  for (const [i, value] of values.entries()) text += print(value) + (strings[i + 1] as string)
  return new Html(OWN, text)
}

function print(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.toString()
  if (Array.isArray(value)) return value.map(print).join('')
  return escapeHtml(String(value))
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as it may stand in HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char] as string)
}

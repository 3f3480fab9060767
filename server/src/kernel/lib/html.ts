// Defines the HTML template, which escapes every value except HTML that `html` made.

/** HTML that is safe to send. Only `html` makes values of this type, so the template escapes every string. */
export class Html {
  readonly #text: string
  constructor(token: symbol, text: string) {
    if (token !== CONSTRUCTOR_TOKEN)
      throw new Error('only the html template makes Html: write html`...` instead of new Html()')
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

const CONSTRUCTOR_TOKEN = Symbol('html')

/**
 * A value of a template. The template escapes texts and numbers. For null, undefined and false, the template prints nothing.
 */
export type HtmlValue = Html | string | number | bigint | null | undefined | false | readonly HtmlValue[]

/** Writes HTML: html`<p>${text}</p>`. Attribute values need double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] as string
  for (const [i, value] of values.entries()) text += print(value) + (strings[i + 1] as string)
  return new Html(CONSTRUCTOR_TOKEN, text)
}

function print(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.toString()
  if (Array.isArray(value)) return value.map(print).join('')
  return escapeHtml(String(value))
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char] as string)
}

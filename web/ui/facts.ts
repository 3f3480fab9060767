// What the server tells the page about this installation, in a meta element: nothing to fetch before the sign-in.

/** Facts of this installation and of the console that the page belongs to. Nothing of it is secret. */
export type Facts = {
  console: 'dashboard' | 'operator'
  brand_name: string
  issuer: string
  client_id: string
  scope: string
  pay_url: string
  base_url: string
  brand: string
  rehearses: boolean
  nonce: string
}

/** The facts. Throws when the page was not sent by the server. */
export const facts: Facts = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name=malipo]')?.content ?? '')

/** The path of this console, with a slash at its end. */
export const HOME = `/${facts.console}/`

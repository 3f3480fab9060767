// Reads the facts that the server writes into a meta element of the page. So the sign-in needs no request for them.

/** The facts about this installation and this console. None of them is secret. */
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
  sends: { email: boolean; sms: boolean }
  nonce: string
}

/**
 * The facts of this page. If the page lacks the meta element of our server, the module throws an error when the browser loads
 * it.
 */
export const facts: Facts = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name=malipo]')?.content ?? '')

/** The path of this console, with a slash at its end. */
export const HOME = `/${facts.console}/`

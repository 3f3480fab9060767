// The identity of a caller: an API key with its merchant, or a user with their merchants.

/** An API key and its merchant. */
export type KeyIdentity = {
  merchant_id: string
  merchant_name: string
  /** The short public name of the merchant, as in webhooks. */
  merchant_code: string
  /** The environment of the key. */
  environment: 'live' | 'sandbox'
  /** The scopes of the key. */
  scopes: string[]
  key_id: string
  key_name: string
}

/** A user who signed in with an access token, and their merchants. */
export type PersonIdentity = {
  id: string
  email: string
  email_verified: boolean
  name: string
  language: 'sw' | 'en'
  /** True for an operator of the platform. */
  super_admin: boolean
  /** The console of the session. Null means that the session may use both consoles. */
  console: string | null
  /** The time at which the user entered their credentials. Null means that the time is unknown. */
  auth_time: string | null
  memberships: {
    merchant_id: string
    merchant_code: string
    name: string
    role: string
    status: string
    verified: boolean
    /** True if the merchant has prices. */
    priced: boolean
  }[]
}

/** The owner of `api_key`. `'key_id' in identity` is true for an API key. */
export type Identity = KeyIdentity | PersonIdentity

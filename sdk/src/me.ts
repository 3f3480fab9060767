// Who calls: an API key with its merchant, or a person with their merchants.

/** An API key and the merchant that it acts for. */
export type KeyIdentity = {
  merchant_id: string
  merchant_name: string
  /** The short public name of the merchant, as in webhooks. */
  merchant_code: string
  /** Where the key acts. */
  environment: 'live' | 'sandbox'
  /** What the key may do. */
  scopes: string[]
  key_id: string
  key_name: string
}

/** A person, signed in with an access token, and their merchants. */
export type PersonIdentity = {
  id: string
  email: string
  email_verified: boolean
  name: string
  language: 'sw' | 'en'
  /** True for an operator of the platform. */
  super_admin: boolean
  /** The console that the session was made for. Null: both. */
  console: string | null
  /** When the person gave their credentials. Null: not known. */
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

/** Whose `api_key` the client uses: `'key_id' in identity` is true for an API key. */
export type Identity = KeyIdentity | PersonIdentity

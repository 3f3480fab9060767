// The identity of a caller: an API key with its merchant, or a user with the merchants of the user.

/** An API key and its merchant. */
export type KeyIdentity = {
  merchant_id: string
  merchant_name: string
  /** The short public name of the merchant, which webhooks also contain. */
  merchant_code: string
  /** The environment of the key. */
  environment: 'live' | 'sandbox'
  /** The scopes of the key. */
  scopes: string[]
  key_id: string
  key_name: string
}

/** A user who signed in for an access token, with the merchants of the user. */
export type PersonIdentity = {
  id: string
  email: string
  email_verified: boolean
  name: string
  language: 'sw' | 'en'
  /** True for an operator of the platform with the role SUPER_ADMIN. */
  super_admin: boolean
  /** The role of an operator of the platform. Null means that the user is no operator. */
  operator_role: string | null
  /** The kinds of decisions that the operator role allows. */
  operator_duties: string[]
  /** The console in which the user signed in. Null means that the session may use both consoles. */
  console: string | null
  /** The time at which the user entered the credentials. Null means that the time is unknown. */
  auth_time: string | null
  /** True if the user signed in with a second factor. */
  second_factor: boolean
  memberships: {
    merchant_id: string
    merchant_code: string
    name: string
    role: string
    status: string
    verified: boolean
    /** True if operators have set the prices of the merchant. */
    priced: boolean
    /** True if the merchant refuses members who signed in without a second factor. */
    second_factor_required: boolean
  }[]
}

/** The caller that `api_key` identifies. For an API key, `'key_id' in identity` is true. */
export type Identity = KeyIdentity | PersonIdentity

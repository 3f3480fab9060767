// The door of merchants.

export { createMerchant } from './create.ts'
export { findMerchant, type Merchant, merchantByRoutingCode } from './find.ts'
export { createUser, type NewUser, setMember } from './users.ts'

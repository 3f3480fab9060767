// Exports the OpenID provider, sessions, tokens, passwords and passkeys, and the rights of users and operators.

export { endSessions, hasPassword, newPassword, setPassword } from './credentials.ts'
export { mayMailInvitation } from './invitation-limit.ts'
export { issuerKey, latestIssuerKey } from './keys.ts'
export { DEMO_DOMAIN, isDemoUser } from './operator-factor.ts'
export { findOperatorEmail, listOperators, type OperatorAccount } from './operators.ts'
export { languageOf } from './pages-texts.ts'
export { passkeyRoutes } from './passkey-routes.ts'
export { identityRoutes, identityTask } from './provider-mount.ts'
export { type ChangedUser, changeUserRights, keepSuperAdmin, type RightsAction } from './rights.ts'
export { createReadSessionAgain, createSessions } from './session.ts'
export { sessionRoutes } from './session-routes.ts'
export { ACCESS_TOKEN_S, EMBEDDED, issueAccessToken } from './tokens.ts'

// The door of identity.

export { newPassword, setPassword } from './credentials.ts'
export { latestSigningKey, signingKey } from './keys.ts'
export { identityRoutes, identityTask } from './provider-mount.ts'
export { createSessions } from './session.ts'
export { ACCESS_TOKEN_S, issueAccessToken } from './tokens.ts'
export { dropSecondStep } from './totp.ts'

// Generated from package.json by `npm run generate`; do not edit.

/** The SDK version in package.json. Each request has it in the User-Agent header. */
export const VERSION = '0.2.0'

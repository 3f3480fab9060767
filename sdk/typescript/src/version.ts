// Generated from package.json by `npm run generate`; do not edit.

/** The version of the SDK. */
export const VERSION = '0.2.0'

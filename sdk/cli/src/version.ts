// Contains the version of the tool, which equals the version of its server.

/** The version that `malipo --version` prints. */
export const VERSION = '0.2.0'

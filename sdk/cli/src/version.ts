// Contains the version of the tool, which is the version of the server that it was made for.

/** The version of the tool. */
export const VERSION = '0.2.0'

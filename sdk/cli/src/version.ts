// Contains the version of the tool. In each release of Malipo, the tool and the server have the same version.

/** The version that `malipo --version` prints. */
export const VERSION = '0.2.0'

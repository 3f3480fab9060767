// Unpacks Chromium from its package into the folder of TMPDIR. This file is a process of its own, because the package reads the
// folder from the environment of its process.

import chromium, { inflate } from '@sparticuz/chromium'

await chromium.executablePath()
// The archive also contains libraries that a machine without a desktop lacks.
await inflate(process.argv[2] as string)

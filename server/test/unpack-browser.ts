// Unpacks Chromium from its npm package into the folder TMPDIR. This file runs as a separate process, because the package reads
// the folder from the environment of its process.

import chromium, { inflate } from '@sparticuz/chromium'

await chromium.executablePath()
// The archive also contains libraries that are missing on a machine without a desktop.
await inflate(process.argv[2] as string)

// Unpacks Chromium out of its package into the folder that TMPDIR names. A process of its own, because the package asks
// the environment of its process where to put it.

import chromium, { inflate } from '@sparticuz/chromium'

await chromium.executablePath()
// The libraries that a machine without a desktop lacks.
await inflate(process.argv[2] as string)

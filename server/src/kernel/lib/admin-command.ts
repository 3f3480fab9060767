// Makes the command line of the admin command for messages, as the installation of the program requires.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the program: the checkout, or /usr/lib/malipo of the Debian package and of the image. */
const PROGRAM = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * Returns the command line that runs an admin command such as `verify` on this machine. `program` is the folder of the program.
 * Its folder `bin` shows the installation: Debian package, image or checkout.
 */
export function adminCommand(words: string, program = PROGRAM): string {
  if (existsSync(join(program, 'bin/malipo-admin.mjs'))) return `malipo-admin ${words}`
  if (existsSync(join(program, 'bin/health.mjs'))) return `node server/src/admin.ts ${words}`
  return `npm run -s admin -- ${words}`
}

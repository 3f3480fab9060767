// Builds URLs of dashboard pages for e-mails.

import type { Deps } from '../../kernel/db/index.ts'
import { baseUrlOf } from '../../kernel/http/index.ts'

/**
 * Returns the URL of a dashboard page. The URL names the merchant, because the user may have opened another merchant last. If
 * BASE_URL is not set, the URL names this machine with the configured port.
 */
export function dashboardUrl({ config }: Pick<Deps, 'config'>, merchant_id: string, path = ''): string {
  return `${baseUrlOf(config)}/dashboard/${path}?merchant=${merchant_id}`
}

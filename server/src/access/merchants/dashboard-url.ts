// Builds URLs of dashboard pages for e-mails.

import type { Deps } from '../../kernel/db/index.ts'

/**
 * Returns the URL of a dashboard page. Empty means that BASE_URL is not set. The URL names the merchant, because the user may
 * have opened another merchant last.
 */
export function dashboardUrl({ config }: Pick<Deps, 'config'>, merchant_id: string, path = ''): string {
  return config.base_url === '' ? '' : `${config.base_url}/dashboard/${path}?merchant=${merchant_id}`
}

// Builds addresses of dashboard pages for links in e-mails.

import type { Deps } from '../../kernel/db/index.ts'

/**
 * Returns the address of a dashboard page. If BASE_URL is not set, the address is empty. The address names the merchant, because a
 * member of several merchants may have opened another merchant last.
 */
export function dashboardUrl({ config }: Pick<Deps, 'config'>, merchant_id: string, path = ''): string {
  return config.base_url === '' ? '' : `${config.base_url}/dashboard/${path}?merchant=${merchant_id}`
}

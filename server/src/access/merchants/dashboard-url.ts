// Addresses of the dashboard that e-mails link to.

import type { Deps } from '../../kernel/db/index.ts'

/**
 * The address of a page of the dashboard, empty when this installation was told no address of its own. It names the business,
 * because a member of several businesses may have looked at another one last.
 */
export function dashboardUrl({ config }: Pick<Deps, 'config'>, merchant_id: string, path = ''): string {
  return config.base_url === '' ? '' : `${config.base_url}/dashboard/${path}?merchant=${merchant_id}`
}

// Defines the routes of the pages about the business.

import '../pages.css'
import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../ui/lazy.tsx'

/** Makes the routes of the pages about the business, as children of the route of an environment. */
export function businessRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyPage>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      'members',
      lazyPage(() => import('./members.tsx'), 'Members'),
    ),
    page(
      'profile',
      lazyPage(() => import('./profile.tsx'), 'Profile'),
    ),
    page(
      'addresses',
      lazyPage(() => import('./addresses.tsx'), 'MerchantAddresses'),
    ),
    page(
      'messages',
      lazyPage(() => import('./messages.tsx'), 'MerchantMessages'),
    ),
    page(
      'notifications',
      lazyPage(() => import('./notifications.tsx'), 'Notifications'),
    ),
    page(
      'account',
      lazyPage(() => import('../../ui/account.tsx'), 'UserProfile'),
    ),
    page(
      'sessions',
      lazyPage(() => import('../../ui/sessions.tsx'), 'Sessions'),
    ),
    page(
      'activity',
      lazyPage(() => import('./activity.tsx'), 'Activity'),
    ),
  ]
}

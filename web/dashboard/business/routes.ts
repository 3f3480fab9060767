// The pages of this part of the dashboard.

import '../pages.css'
import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/** Adds them below an environment. */
export function businessRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      'members',
      lazyRouteComponent(() => import('./members.tsx'), 'Members'),
    ),
    page(
      'addresses',
      lazyRouteComponent(() => import('./addresses.tsx'), 'Addresses'),
    ),
    page(
      'messages',
      lazyRouteComponent(() => import('./messages.tsx'), 'Messages'),
    ),
    page(
      'activity',
      lazyRouteComponent(() => import('./activity.tsx'), 'Activity'),
    ),
  ]
}

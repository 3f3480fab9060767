// The pages of this part of the dashboard.

import '../pages.css'
import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/** Adds them below an environment. */
export function developRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      'keys',
      lazyRouteComponent(() => import('./keys.tsx'), 'Keys'),
    ),
    page(
      'keys/new',
      lazyRouteComponent(() => import('./key-new.tsx'), 'NewKey'),
    ),
    page(
      'webhooks',
      lazyRouteComponent(() => import('./webhooks.tsx'), 'Webhooks'),
    ),
    page(
      'webhooks/deliveries/$delivery_id',
      lazyRouteComponent(() => import('./delivery.tsx'), 'DeliveryPage'),
    ),
    page(
      'requests',
      lazyRouteComponent(() => import('./requests.tsx'), 'Requests'),
    ),
    page(
      'requests/$request_id',
      lazyRouteComponent(() => import('./request.tsx'), 'RequestPage'),
    ),
  ]
}

// Defines the routes of the pages for developers.

import '../pages.css'
import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../ui/lazy.tsx'

/** Makes the routes of the pages for developers, as children of the route of an environment. */
export function developRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyPage>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      'keys',
      lazyPage(() => import('./keys.tsx'), 'ApiKeys'),
    ),
    page(
      'keys/new',
      lazyPage(() => import('./key-new.tsx'), 'NewKey'),
    ),
    page(
      'webhooks',
      lazyPage(() => import('./webhooks.tsx'), 'Webhooks'),
    ),
    page(
      'webhooks/failing',
      lazyPage(() => import('./failing-endpoints.tsx'), 'FailingEndpointsPage'),
    ),
    page(
      'webhooks/deliveries/$delivery_id',
      lazyPage(() => import('./delivery.tsx'), 'DeliveryPage'),
    ),
    page(
      'requests',
      lazyPage(() => import('./requests.tsx'), 'Requests'),
    ),
    page(
      'requests/$request_id',
      lazyPage(() => import('./request.tsx'), 'RequestPage'),
    ),
  ]
}

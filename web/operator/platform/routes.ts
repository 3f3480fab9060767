// The pages about the platform itself: merchants, addresses, providers, books, who did what.

import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/** Adds them below the frame. */
export function platformRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      'merchants',
      lazyRouteComponent(() => import('./merchants.tsx'), 'Merchants'),
    ),
    page(
      'merchants/$id',
      lazyRouteComponent(() => import('./merchant.tsx'), 'MerchantPage'),
    ),
    page(
      'merchants/$id/prices',
      lazyRouteComponent(() => import('./prices.tsx'), 'Prices'),
    ),
    page(
      'addresses',
      lazyRouteComponent(() => import('./addresses.tsx'), 'Addresses'),
    ),
    page(
      'providers',
      lazyRouteComponent(() => import('./providers.tsx'), 'Providers'),
    ),
    page(
      'networks',
      lazyRouteComponent(() => import('./networks.tsx'), 'Networks'),
    ),
    page(
      'reconciliation',
      lazyRouteComponent(() => import('./reconciliation.tsx'), 'Reconciliation'),
    ),
    page(
      'audit',
      lazyRouteComponent(() => import('./audit.tsx'), 'Audit'),
    ),
    page(
      'waiting',
      lazyRouteComponent(() => import('./waiting.tsx'), 'WaitingForProvider'),
    ),
    page(
      'messages',
      lazyRouteComponent(() => import('./messages.tsx'), 'Messages'),
    ),
    page(
      'webhooks',
      lazyRouteComponent(() => import('./webhooks.tsx'), 'FailingWebhooks'),
    ),
  ]
}

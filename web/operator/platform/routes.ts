// Defines the routes of the pages about the platform, such as merchants, providers and the audit log.

import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../ui/lazy.tsx'

/** Makes the routes of the pages about the platform, as children of the frame's route. */
export function platformRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyPage>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      'merchants',
      lazyPage(() => import('./merchants.tsx'), 'Merchants'),
    ),
    page(
      'merchants/$id',
      lazyPage(() => import('./merchant.tsx'), 'MerchantPage'),
    ),
    page(
      'merchants/$id/prices',
      lazyPage(() => import('./prices.tsx'), 'PriceEditor'),
    ),
    page(
      'addresses',
      lazyPage(() => import('./addresses.tsx'), 'AddressReviews'),
    ),
    page(
      'providers',
      lazyPage(() => import('./providers.tsx'), 'Providers'),
    ),
    page(
      'pauses',
      lazyPage(() => import('./pauses.tsx'), 'PayoutPauses'),
    ),
    page(
      'decisions',
      lazyPage(() => import('./decisions.tsx'), 'WaitingDecisions'),
    ),
    page(
      'reasons',
      lazyPage(() => import('./reasons.tsx'), 'SavedReasonLists'),
    ),
    page(
      'networks',
      lazyPage(() => import('./networks.tsx'), 'Networks'),
    ),
    page(
      'reconciliation',
      lazyPage(() => import('./reconciliation.tsx'), 'Reconciliation'),
    ),
    page(
      'audit',
      lazyPage(() => import('./audit.tsx'), 'Audit'),
    ),
    page(
      'operators',
      lazyPage(() => import('./operators.tsx'), 'Operators'),
    ),
    page(
      'system',
      lazyPage(() => import('./system.tsx'), 'SystemChecks'),
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
      'waiting',
      lazyPage(() => import('./waiting.tsx'), 'WaitingForProvider'),
    ),
    page(
      'messages',
      lazyPage(() => import('./messages.tsx'), 'PlatformMessages'),
    ),
    page(
      'webhooks',
      lazyPage(() => import('./webhooks.tsx'), 'FailingMerchants'),
    ),
  ]
}

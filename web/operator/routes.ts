// Defines the routes of the pages about money that waits for an operator: the queue, withdrawals, payments, held collections.

import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../ui/lazy.tsx'

/** Makes the routes of the pages about waiting money, as children of the frame's route. */
export function queueRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyPage>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      '/',
      lazyPage(() => import('./queue.tsx'), 'Queue'),
    ),
    page(
      'withdrawals',
      lazyPage(() => import('./withdrawals/list.tsx'), 'OperatorWithdrawals'),
    ),
    page(
      'withdrawals/$id',
      lazyPage(() => import('./withdrawals/case.tsx'), 'WithdrawalCase'),
    ),
    page(
      'collections',
      lazyPage(() => import('./collections/held.tsx'), 'HeldCollections'),
    ),
    page(
      'payments',
      lazyPage(() => import('./collections/list.tsx'), 'Payments'),
    ),
    page(
      'payments/$id',
      lazyPage(() => import('./collections/payment.tsx'), 'PaymentPage'),
    ),
  ]
}

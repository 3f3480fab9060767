// The pages about money that waits for an operator: the queue, withdrawals, held collections.

import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/** Adds them below the frame. */
export function deskRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      '/',
      lazyRouteComponent(() => import('./queue.tsx'), 'Queue'),
    ),
    page(
      'withdrawals',
      lazyRouteComponent(() => import('./withdrawals/list.tsx'), 'Withdrawals'),
    ),
    page(
      'withdrawals/$id',
      lazyRouteComponent(() => import('./withdrawals/case.tsx'), 'WithdrawalCase'),
    ),
    page(
      'collections',
      lazyRouteComponent(() => import('./collections/held.tsx'), 'HeldCollections'),
    ),
  ]
}

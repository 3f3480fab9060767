// The pages of this part of the dashboard.

import '../pages.css'
import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/** Adds them below an environment. */
export function moneyRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      'withdrawals',
      lazyRouteComponent(() => import('./withdrawals.tsx'), 'Withdrawals'),
    ),
    page(
      'withdrawals/new',
      lazyRouteComponent(() => import('./withdrawal-new.tsx'), 'NewWithdrawal'),
    ),
    page(
      'withdrawals/$withdrawal_id',
      lazyRouteComponent(() => import('./withdrawal.tsx'), 'Withdrawal'),
    ),
    page(
      'transactions',
      lazyRouteComponent(() => import('./transactions.tsx'), 'Transactions'),
    ),
    page(
      'transactions/$reference',
      lazyRouteComponent(() => import('./transaction.tsx'), 'Transaction'),
    ),
    page(
      'statements',
      lazyRouteComponent(() => import('./statements.tsx'), 'Statements'),
    ),
  ]
}

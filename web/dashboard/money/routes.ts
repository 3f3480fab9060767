// The pages of this part of the dashboard.

import '../pages.css'
import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../ui/lazy.tsx'

/** Adds them below an environment. */
export function moneyRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyPage>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      'withdrawals',
      lazyPage(() => import('./withdrawals.tsx'), 'Withdrawals'),
    ),
    page(
      'withdrawals/new',
      lazyPage(() => import('./withdrawal-new.tsx'), 'NewWithdrawal'),
    ),
    page(
      'withdrawals/$withdrawal_id',
      lazyPage(() => import('./withdrawal.tsx'), 'Withdrawal'),
    ),
    page(
      'transactions',
      lazyPage(() => import('./transactions.tsx'), 'Transactions'),
    ),
    page(
      'transactions/$reference',
      lazyPage(() => import('./transaction.tsx'), 'Transaction'),
    ),
    page(
      'statements',
      lazyPage(() => import('./statements.tsx'), 'Statements'),
    ),
  ]
}

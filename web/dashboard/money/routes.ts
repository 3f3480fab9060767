// Defines the routes of the pages about money: withdrawals, recipients, transactions and statements.

import '../pages.css'
import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../ui/lazy.tsx'

/** Makes the routes of the pages about money, as children of the route of an environment. */
export function moneyRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyPage>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      'withdrawals',
      lazyPage(() => import('./withdrawals.tsx'), 'MerchantWithdrawals'),
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
      'withdrawals/$withdrawal_id/receipt',
      lazyPage(() => import('./withdrawal-receipt.tsx'), 'WithdrawalReceipt'),
    ),
    page(
      'recipients',
      lazyPage(() => import('./recipients.tsx'), 'Recipients'),
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
      lazyPage(() => import('./statements.tsx'), 'BalanceStatements'),
    ),
  ]
}

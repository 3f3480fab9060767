// The pages of this part of the dashboard.

import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/** Adds them below an environment. */
export function collectRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  const home = lazyRouteComponent(() => import('../home/home.tsx'), 'Home')
  const collections = lazyRouteComponent(() => import('./collections.tsx'), 'Collections')
  const collection = lazyRouteComponent(() => import('./collection.tsx'), 'Collection')
  const links = lazyRouteComponent(() => import('./links.tsx'), 'Links')
  const newLink = lazyRouteComponent(() => import('./new-link.tsx'), 'NewLink')
  const link = lazyRouteComponent(() => import('./link.tsx'), 'Link')
  const invoices = lazyRouteComponent(() => import('./invoices.tsx'), 'Invoices')
  const newInvoice = lazyRouteComponent(() => import('./write-invoice.tsx'), 'NewInvoice')
  const editInvoice = lazyRouteComponent(() => import('./write-invoice.tsx'), 'EditInvoice')
  const invoice = lazyRouteComponent(() => import('./invoice.tsx'), 'Invoice')
  return [
    page('/', home),
    page('collections', collections),
    page('collections/$id', collection),
    page('links', links),
    page('links/new', newLink),
    page('links/$id', link),
    page('invoices', invoices),
    page('invoices/new', newInvoice),
    page('invoices/$id', invoice),
    page('invoices/$id/edit', editInvoice),
  ]
}

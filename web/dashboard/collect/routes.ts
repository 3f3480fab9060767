// Defines the routes of the pages about payments, links and invoices.

import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../ui/lazy.tsx'

/** Makes the routes of the pages about payments, links and invoices, as children of the route of an environment. */
export function collectRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyPage>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  const home = lazyPage(() => import('../home/home.tsx'), 'Home')
  const collections = lazyPage(() => import('./collections.tsx'), 'Collections')
  const collection = lazyPage(() => import('./collection.tsx'), 'Collection')
  const receipt = lazyPage(() => import('./receipt.tsx'), 'Receipt')
  const links = lazyPage(() => import('./links.tsx'), 'Links')
  const newLink = lazyPage(() => import('./new-link.tsx'), 'NewLink')
  const link = lazyPage(() => import('./link.tsx'), 'Link')
  const invoices = lazyPage(() => import('./invoices.tsx'), 'Invoices')
  const newInvoice = lazyPage(() => import('./write-invoice.tsx'), 'NewInvoice')
  const editInvoice = lazyPage(() => import('./write-invoice.tsx'), 'EditInvoice')
  const invoice = lazyPage(() => import('./invoice.tsx'), 'Invoice')
  return [
    page('/', home),
    page('collections', collections),
    page('collections/$id', collection),
    page('collections/$id/receipt', receipt),
    page('links', links),
    page('links/new', newLink),
    page('links/$id', link),
    page('invoices', invoices),
    page('invoices/new', newInvoice),
    page('invoices/$id', invoice),
    page('invoices/$id/edit', editInvoice),
  ]
}

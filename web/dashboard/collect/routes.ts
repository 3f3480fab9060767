// The pages of this part of the dashboard.

import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/** Adds them below an environment. */
export function collectRoutes(parent: AnyRoute): AnyRoute[] {
  const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
    createRoute({ getParentRoute: () => parent, path, component })
  return [
    page(
      '/',
      lazyRouteComponent(() => import('../home/home.tsx'), 'Home'),
    ),
    page(
      'collections',
      lazyRouteComponent(() => import('./collections.tsx'), 'Collections'),
    ),
  ]
}

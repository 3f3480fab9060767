// The endpoints of the portal.

import type { Deps } from '../db/index.ts'
import type { Routes } from '../http/index.ts'
import { checklistRoute } from './checklist-routes.ts'
import { overviewRoute } from './overview-routes.ts'

/** Adds the routes. */
export function portalRoutes(deps: Deps): Routes {
  return (app) => {
    overviewRoute(deps, app)
    checklistRoute(deps, app)
  }
}

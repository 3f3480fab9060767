// The pages of this part of the dashboard.

import type { AnyRoute } from '@tanstack/react-router'

/** Adds them below an environment. */
export function businessRoutes(_parent: AnyRoute): AnyRoute[] {
  return []
}

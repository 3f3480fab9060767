// The pages of the platform's side of this console.

import type { AnyRoute } from '@tanstack/react-router'

/** Adds them below the frame. */
export function platformRoutes(_parent: AnyRoute): AnyRoute[] {
  return []
}

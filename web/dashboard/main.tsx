// Starts the merchants' dashboard. The browser loads the code of a page in the background, or at the latest when the member
// opens the page.

import { createRootRoute, createRoute } from '@tanstack/react-router'
import { startConsole } from '../ui/start.tsx'
import { businessRoutes } from './business/routes.ts'
import { collectRoutes } from './collect/routes.ts'
import { developRoutes } from './develop/routes.ts'
import { DashboardFrame, ToEnvironment } from './frame.tsx'
import { chooseNamedMerchant } from './merchant.ts'
import { moneyRoutes } from './money/routes.ts'

const root = createRootRoute({ component: DashboardFrame })
const first = createRoute({ getParentRoute: () => root, path: '/', component: ToEnvironment })
const environment = createRoute({ getParentRoute: () => root, path: '$env' })

// This call runs before the sign-in, because the sign-in returns to the current address.
chooseNamedMerchant()
await startConsole(
  root.addChildren([
    first,
    environment.addChildren([
      ...collectRoutes(environment),
      ...moneyRoutes(environment),
      ...developRoutes(environment),
      ...businessRoutes(environment),
    ]),
  ]),
)

// The merchants' dashboard: its pages, each loaded when it is opened.

import { createRootRoute, createRoute } from '@tanstack/react-router'
import { startConsole } from '../ui/start.tsx'
import { businessRoutes } from './business/routes.ts'
import { collectRoutes } from './collect/routes.ts'
import { developRoutes } from './develop/routes.ts'
import { Frame, ToEnvironment } from './frame.tsx'
import { chooseNamedMerchant } from './merchant.ts'
import { moneyRoutes } from './money/routes.ts'

const root = createRootRoute({ component: Frame })
const first = createRoute({ getParentRoute: () => root, path: '/', component: ToEnvironment })
const environment = createRoute({ getParentRoute: () => root, path: '$env' })

// Before the sign-in, which comes back to the address as it is then.
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

// The merchants' dashboard: its pages, each loaded when it is opened.

import { createRootRoute, createRoute } from '@tanstack/react-router'
import { startConsole } from '../ui/start.tsx'
import { businessRoutes } from './business/routes.ts'
import { collectRoutes } from './collect/routes.ts'
import { developRoutes } from './develop/routes.ts'
import { Frame, ToEnvironment } from './frame.tsx'
import { moneyRoutes } from './money/routes.ts'

const root = createRootRoute({ component: Frame })
const first = createRoute({ getParentRoute: () => root, path: '/', component: ToEnvironment })
const environment = createRoute({ getParentRoute: () => root, path: '$env' })

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

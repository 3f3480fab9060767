// The operator console: its pages, each loaded when the operator opens it.

import './operator.css'
import { createRootRoute } from '@tanstack/react-router'
import { startConsole } from '../ui/start.tsx'
import { Frame } from './frame.tsx'
import { platformRoutes } from './platform/routes.ts'
import { moneyRoutes } from './routes.ts'

const root = createRootRoute({ component: Frame })

await startConsole(root.addChildren([...moneyRoutes(root), ...platformRoutes(root)]))

// The operators' console: its pages, each loaded when it is opened.

import './operator.css'
import { createRootRoute } from '@tanstack/react-router'
import { startConsole } from '../ui/start.tsx'
import { Frame } from './frame.tsx'
import { platformRoutes } from './platform/routes.ts'
import { deskRoutes } from './routes.ts'

const root = createRootRoute({ component: Frame })

await startConsole(root.addChildren([...deskRoutes(root), ...platformRoutes(root)]))

// Starts the operator console. The browser loads the code of a page in the background, or at the latest when the operator opens
// the page.

import './operator.css'
import { createRootRoute } from '@tanstack/react-router'
import { startConsole } from '../ui/start.tsx'
import { OperatorFrame } from './frame.tsx'
import { platformRoutes } from './platform/routes.ts'
import { queueRoutes } from './routes.ts'

const root = createRootRoute({ component: OperatorFrame })

await startConsole(root.addChildren([...queueRoutes(root), ...platformRoutes(root)]))

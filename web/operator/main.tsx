// The operators' console: its pages, each loaded when it is opened.

import { createRootRoute, createRoute, Outlet } from '@tanstack/react-router'
import { Page } from '../ui/parts.tsx'
import { Shell } from '../ui/shell.tsx'
import { startConsole } from '../ui/start.tsx'

const root = createRootRoute({
  component: () => (
    <Shell menu={[]} strip={{ kind: 'operator', text: '' }} who="">
      <Outlet />
    </Shell>
  ),
})
const first = createRoute({ getParentRoute: () => root, path: '/', component: () => <Page title="">{null}</Page> })

await startConsole(root.addChildren([first]))

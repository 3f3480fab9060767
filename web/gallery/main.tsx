// Shows the components of the consoles in their states, for developers who change the look of the consoles. The texts are
// examples. In the address, `scheme`, `language` and `density` choose the look, and `only` the component.

import '../ui/choices.css'
import '../ui/ui.css'
import '../dashboard/pages.css'
import '../dashboard/home/home.css'
import './gallery.css'
import { Group, MantineProvider, Title } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { type MerchantAccess, MerchantContext } from '../dashboard/merchant.ts'
import { createQueries } from '../ui/data.ts'
import { applyDensity } from '../ui/density.ts'
import { ICON_NAMES, Icon, Logo } from '../ui/icons.tsx'
import { LanguageContext } from '../ui/language.ts'
import { cssVariables, theme } from '../ui/theme.ts'
import { ControlSpecimens } from './controls.tsx'
import { MEMBERSHIPS } from './examples.ts'
import { FrameSpecimens } from './frames.tsx'
import { RecordSpecimens } from './records.tsx'
import { addShownStates } from './shown-states.ts'
import { Specimen } from './specimen.tsx'
import { IdentitySpecimens, StateSpecimens } from './states.tsx'

function Gallery() {
  return (
    <main className="gallery">
      <Group gap="sm">
        <Logo size={40} />
        <Title order={1}>Gallery</Title>
      </Group>
      <Specimen name="icons">
        <div className="icons">
          {ICON_NAMES.map((name) => (
            <Icon key={name} name={name} size={22} />
          ))}
        </div>
      </Specimen>
      <IdentitySpecimens />
      <ControlSpecimens />
      <StateSpecimens />
      <RecordSpecimens />
      <FrameSpecimens />
    </main>
  )
}

const query = new URLSearchParams(location.search)
const language = query.get('language') === 'sw' ? 'sw' : 'en'
const access: MerchantAccess = { environment: 'sandbox', membership: MEMBERSHIPS[0] as MerchantAccess['membership'] }
document.documentElement.lang = language
applyDensity(query.get('density') === 'compact' ? 'compact' : 'comfortable')
addShownStates()
const router = createRouter({
  routeTree: createRootRoute({ component: Gallery, notFoundComponent: Gallery }),
  history: createMemoryHistory({ initialEntries: ['/'] }),
})
createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    forceColorScheme={query.get('scheme') === 'dark' ? 'dark' : 'light'}
  >
    <LanguageContext value={{ language, choose() {} }}>
      <QueryClientProvider client={createQueries()}>
        <MerchantContext value={access}>
          <RouterProvider router={router} />
        </MerchantContext>
      </QueryClientProvider>
    </LanguageContext>
  </MantineProvider>,
)

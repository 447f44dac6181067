import './ui/styles.ts'
import './shell/shell.css'
import './shell/sidenav/sidenav.css'
import './shell/sidenav/rail.css'
import './shell/topnav/topnav.css'
import './shell/topbar/topbar.css'
import './shell/face.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { CatchBoundary, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { presence } from './api/presence.ts'
import { queryClient } from './api/query.ts'
import { session } from './api/session.ts'
import { router } from './routes.tsx'
import { LastResort } from './shell/ErrorPage.tsx'
import { layout, useLayout } from './shell/store.ts'
import { guardSinks } from './shell/trusted.ts'
import { theme, variables } from './ui/theme.ts'

guardSinks()
layout.follow()
session.follow()
presence.follow()
// A page that the browser has kept may show what its reader may no longer see.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

function Console() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={variables} forceColorScheme={useLayout().theme}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}

const root = document.querySelector('#root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <CatchBoundary getResetKey={() => 'console'} errorComponent={LastResort}>
        <Console />
      </CatchBoundary>
    </StrictMode>,
  )

import './ui/look/styles.ts'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { CatchBoundary, RouterProvider } from '@tanstack/react-router'
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { reasonText } from '#contract/platform/reasons.ts'
import { wordReasonsBy } from './api/errors.ts'
import { heartbeat } from './api/heartbeat.ts'
import { queryClient } from './api/query.ts'
import { session } from './api/session.ts'
import { router } from './routes.tsx'
import { LastResort } from './layout/ErrorPage.tsx'
import { fetchDemoMenu } from './layout/menu.ts'
import { layout, useLayout } from './layout/store.ts'
import { guardSinks } from './layout/trusted.ts'
import { product } from './ui/product.ts'
import { theme, variables } from './ui/look/theme.ts'

guardSinks()
wordReasonsBy(reasonText)
layout.follow()
session.follow()
heartbeat.follow()
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

function start() {
  const root = document.querySelector('#root')
  // What the page shows until then is the same: it may be drawn in small pieces.
  if (root)
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <CatchBoundary getResetKey={() => 'console'} errorComponent={LastResort}>
            <Console />
          </CatchBoundary>
        </StrictMode>,
      ),
    )
}

// Without the menu of the template, the console is whole all the same.
if (product.hasDemoMenu) void fetchDemoMenu().finally(start)
else start()

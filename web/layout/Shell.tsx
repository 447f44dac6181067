import { useRouter } from '@tanstack/react-router'
import { useEffect, type ReactNode } from 'react'
import { PrintedFor } from '#web/ui/PageHead.tsx'
import { watchStops } from '#web/ui/stops.ts'
import { Toasts } from '#web/ui/Toasts.tsx'
import { Backdrop } from './Backdrop.tsx'
import { Customizer } from './customizer/Customizer.tsx'
import { Footer } from './Footer.tsx'
import { Operations } from '../lists/operations/Operations.tsx'
import { Offline } from './Offline.tsx'
import { SendingNotice } from './SendingNotice.tsx'
import { Guards } from '../session/Guards.tsx'
import { ViewingBanner } from '../session/ViewingBanner.tsx'
import { Shortcuts } from './shortcuts/Shortcuts.tsx'
import { Sidenav } from './sidenav/Sidenav.tsx'
import { useMenuLock } from './sidenav/useMenuLock.ts'
import { layout, useLayout } from './store.ts'
import { Topbar } from './topbar/Topbar.tsx'
import { Topnav } from './topnav/Topnav.tsx'
import { useArrival } from './useArrival.ts'
import { useSession, useUser } from '../session/useSession.ts'
import { usePageVisits } from './useVisit.ts'
import classes from './Shell.module.css'
import shapes from '#web/ui/shapes.module.css'

/** The frame of every protected page. */
export function Shell({ children }: { children: ReactNode }) {
  const { isMenuOpen, isTopnav } = useLayout()
  const announcement = useArrival()
  usePageVisits()
  useEffect(watchStops, [])
  const { name, organizationName } = useUser()
  const { viewing } = useSession()
  useMenuLock(isMenuOpen)
  useClosingOnArrival(isMenuOpen)
  return (
    <>
      <a className={classes.skip} href="#content" inert={isMenuOpen}>
        Skip to content
      </a>
      <div className={classes.shell} data-part="shell">
        {!isTopnav && <Sidenav />}
        <div className={`${shapes.grow} ${classes.page}`} data-part="page" inert={isMenuOpen}>
          <Topbar />
          {isTopnav && <Topnav />}
          <main id="content" tabIndex={-1}>
            <PrintedFor value={organizationName ? `${name}, ${organizationName}` : name}>
              <Offline />
              <SendingNotice />
              {children}
            </PrintedFor>
          </main>
          <Footer />
          {viewing && <ViewingBanner viewing={viewing} name={name} />}
        </div>
      </div>
      <Backdrop isOpen={isMenuOpen} onPress={() => layout.setMenuOpen(false)} />
      <Customizer />
      <Toasts>
        <Operations />
      </Toasts>
      <Shortcuts />
      <Guards />
      <p className={shapes.sr} role="status">
        {announcement}
      </p>
    </>
  )
}

/** A page that opens by whatever way is not left behind the menu. */
function useClosingOnArrival(isMenuOpen: boolean): void {
  const router = useRouter()
  useEffect(() => {
    if (!isMenuOpen) return
    // Where it was opened, and not where the router came from: who goes back before a page has arrived arrives where they were.
    const { pathname } = router.latestLocation
    return router.subscribe('onResolved', ({ toLocation }) => {
      if (toLocation.pathname !== pathname) layout.setMenuOpen(false)
    })
  }, [router, isMenuOpen])
}

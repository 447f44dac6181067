import { Outlet } from '@tanstack/react-router'
import { Toasts } from '#web/ui/Toasts.tsx'
import { Footer } from './Footer.tsx'
import { Shortcuts } from './shortcuts/Shortcuts.tsx'
import { Sidenav } from './sidenav/Sidenav.tsx'
import { layout, useLayout } from './store.ts'
import { Topbar } from './topbar/Topbar.tsx'
import { useArrival } from './useArrival.ts'
import { useMenuLock } from './sidenav/useMenuLock.ts'

/** The frame of every protected page. */
export function Shell() {
  const { isMenuOpen } = useLayout()
  const announcement = useArrival()
  useMenuLock(isMenuOpen)
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <div className="shell">
        <Sidenav />
        <div className="shell-main" inert={isMenuOpen}>
          <Topbar />
          <main id="content" tabIndex={-1}>
            <Outlet />
          </main>
          <Footer />
        </div>
      </div>
      {isMenuOpen && (
        <div
          id="custom-backdrop"
          className="offcanvas-backdrop fade show"
          aria-hidden
          onClick={() => layout.setMenuOpen(false)}
        />
      )}
      <Toasts />
      <Shortcuts />
      <p className="ui-sr" role="status">
        {announcement}
      </p>
    </>
  )
}

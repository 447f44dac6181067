import { Outlet } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Toasts } from '#web/ui/Toasts.tsx'
import { Footer } from './Footer.tsx'
import { Sidenav } from './Sidenav.tsx'
import { layout, useLayout } from './store.ts'
import { Topbar } from './Topbar.tsx'
import { useArrival } from './useArrival.ts'

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
      <p className="ui-sr" role="status">
        {announcement}
      </p>
    </>
  )
}

/** While the menu lies over the page: no scrolling behind it, Escape closes, and the focus goes back to the toggle. */
function useMenuLock(isOpen: boolean): void {
  const wasOpen = useRef(false)
  useEffect(() => {
    if (!isOpen) {
      if (wasOpen.current) document.querySelector<HTMLElement>('#nav-toggle')?.focus()
      wasOpen.current = false
      return
    }
    wasOpen.current = true
    const { overflow, paddingRight } = document.body.style
    document.body.style.overflow = 'hidden'
    if (innerWidth > 767) document.body.style.paddingRight = '15px'
    const close = (event: KeyboardEvent) => event.key === 'Escape' && layout.setMenuOpen(false)
    addEventListener('keydown', close)
    return () => {
      Object.assign(document.body.style, { overflow, paddingRight })
      removeEventListener('keydown', close)
    }
  }, [isOpen])
}

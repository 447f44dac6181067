import { useRouter, Link, useLocation } from '@tanstack/react-router'
import { useEffect, type ReactNode, useState, useRef } from 'react'
import { PrintedFor } from '#web/ui/PageHead.tsx'
import { watchStops } from '#web/ui/browser/stops.ts'
import { Toasts } from '#web/ui/feedback/Toasts.tsx'
import { Customizer } from './customizer/Customizer.tsx'
import { Operations } from '../lists/operations/Operations.tsx'
import { Guards } from '../session/Guards.tsx'
import { ViewingBanner } from '../session/ViewingBanner.tsx'
import { Shortcuts } from './shortcuts/Shortcuts.tsx'
import { Sidenav } from './sidenav/Sidenav.tsx'
import { useMenuLock } from './sidenav/useMenuLock.ts'
import { layout, useLayout } from './store.ts'
import { Topbar } from './topbar/Topbar.tsx'
import { Topnav } from './topnav/Topnav.tsx'
import { useSession, useUser } from '../session/useSession.ts'
import { usePageVisits } from './useVisit.ts'
import classes from './Shell.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { product } from '#web/ui/product.ts'
import { oldestShown, useList } from '#web/api/query.ts'
import { formatTime } from '#web/ui/format.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { useOnline } from '#web/ui/browser/useOnline.ts'
import { readSending } from '#contract/transmissions/sending.ts'
import { adminRoles } from '#contract/roles.ts'
import { paths } from '../paths.ts'

const thisYear = () => new Date().getFullYear()

function Footer() {
  return (
    <footer className={`${shapes.hint} ${classes.foot}`} data-part="footer">
      © {thisYear()} {product.name} - by {product.provider}
    </footer>
  )
}

/** Where one begins, sends, and settles it; other pages ask the server for nothing but what they show. */
const noticePages = /^\/(dashboard|transmissions|settings)/

/** For whoever sends, for as long as nothing leaves the installation. */
function SendingNotice() {
  const isTold = useLocation({ select: ({ pathname }) => noticePages.test(pathname) })
  const { role } = useUser()
  return isTold && adminRoles.includes(role) ? <Held /> : null
}

function Held() {
  const { page } = useList(readSending, {}, { every: 60_000 })
  return page?.hold ? <HeldNotice /> : null
}

/** Nothing leaves the installation until a superadmin has said why it is not the one that it was. */
function HeldNotice() {
  const isSuperadmin = useUser().role === 'superadmin'
  return (
    <Notice tone="warning" role="status">
      {isSuperadmin ? (
        <>
          Sending is held: this installation may be a copy, or may have been set back to an earlier state. No
          message leaves until you say which it was.{' '}
          <Link to={paths.settings()} search={{ tab: 'sending' }}>
            Say what happened
          </Link>
        </>
      ) : (
        <>
          Sending is held in the whole installation, because it may have been restored from a copy. Your
          messages wait, and nothing of them is lost: a superadmin of this installation can release them.
          Codes and invitations leave as ever.
        </>
      )}
    </Notice>
  )
}

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

/** Darkens the page behind an open menu; fades in, and out before it goes. */
function Backdrop({ isOpen, onPress }: { isOpen: boolean; onPress: () => void }) {
  const [isThere, setThere] = useState(isOpen)
  const box = useRef<HTMLDivElement>(null)
  if (isOpen && !isThere) setThere(true)
  useEffect(() => {
    if (isOpen) return
    let isCurrent = true
    const fades = box.current?.getAnimations().map(({ finished }) => finished) ?? []
    void Promise.allSettled(fades).then(() => isCurrent && setThere(false))
    return () => {
      isCurrent = false
    }
  }, [isOpen])
  if (!isThere) return null
  const shown = isOpen ? 'show' : ''
  return (
    <div
      id="custom-backdrop"
      ref={box}
      className={`offcanvas-backdrop fade ${shown} ${classes.backdrop}`}
      aria-hidden
      onClick={onPress}
    />
  )
}

/** After a navigation to another page: the focus goes to its heading, and its title is what is returned to announce. */
function useArrival(): string {
  const router = useRouter()
  const [announcement, setAnnouncement] = useState('')
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
        if (!fromLocation || fromLocation.pathname === toLocation.pathname) return
        const heading = document.querySelector<HTMLElement>('main h1')
        heading?.focus({ preventScroll: true })
        setAnnouncement(document.title)
      }),
    [router],
  )
  return announcement
}

/** As long as there is no network: of when the page is, since nothing on it can be read again. */
function Offline() {
  return useOnline() ? null : <Since />
}

function Since() {
  const [at] = useState(oldestShown)
  return (
    <Notice tone="neutral" role="status">
      You are offline. This is as of <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>.
    </Notice>
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

import { useEffect, useRef, useSyncExternalStore, type ReactNode } from 'react'
import { paths } from '#web/paths.ts'
import { faces } from '#web/layout/faces.ts'
import { product } from '#web/ui/product.ts'
import { ErrorAlone, Maintenance } from './ErrorPages.tsx'
import { Card } from './Frame.tsx'
import { Landing } from './Landing.tsx'
import { late } from './late.ts'
import { LoginPassword } from './sign-in/LoginPassword.tsx'
import { Missing } from './Missing.tsx'
import { usePath } from './navigate.ts'
import { SignIn } from './sign-in/SignIn.tsx'
import { whenSomebodyIsThere } from './somebody.ts'
import { focusFirst } from './useFirstFocus.ts'

/** A page without content is one of the late ones: it is fetched when it is needed. */
type Page = { title: string; content: ReactNode }

/** Every public page by its address. */
export const publicPages: Record<string, Page> = {
  [paths.signIn()]: { title: 'Sign in', content: <SignIn /> },
  [paths.signUp()]: { title: 'Create an account', content: null },
  [paths.resetPassword()]: { title: 'Set a new password', content: null },
  [paths.successMail()]: { title: 'Look into your mail', content: null },
  [paths.confirm()]: { title: 'Enter the code', content: null },
  [paths.reportMails()]: { title: 'A report by mail', content: null },
  [paths.newPassword()]: { title: 'Choose a new password', content: null },
  [paths.loginPassword()]: { title: 'Enter your password', content: <LoginPassword /> },
  [paths.loginPin()]: { title: 'Sign-in by code', content: null },
  [paths.twoFactor()]: { title: 'Second step', content: null },
  [paths.atProvider()]: { title: 'Your company’s sign-in', content: null },
  [paths.lockScreen()]: { title: 'Lock the session', content: null },
  [paths.deleteAccount()]: { title: 'Delete your account', content: null },
  ...Object.fromEntries(
    ([400, 401, 403, 404, 408, 429, 500] as const).map((status) => [
      paths.error(status),
      { title: faces[status].headline, content: <ErrorAlone status={status} /> },
    ]),
  ),
  [paths.maintenance()]: { title: 'Site Under Maintenance', content: <Maintenance /> },
  [paths.landing()]: { title: 'Video with proof of viewing', content: <Landing /> },
}

export const isLate = (path: string): boolean => publicPages[path]?.content === null

const unknown: Page = { title: faces[404].headline, content: <ErrorAlone status={404} /> }
const waiting = <Card title="One moment, please" />
const missing = <Missing />

/** The page, or what stands in its place while it is fetched and when it cannot be. */
function usePage(path: string): Page {
  const found = useSyncExternalStore(late.subscribe, late.read, late.read)
  useEffect(() => {
    if (isLate(path)) void late.fetch()
    // Most ways lead on from here; the first sight does not wait for what comes after it.
    return path === paths.signIn() ? whenSomebodyIsThere(() => void late.fetch()) : undefined
  }, [path])
  const page = publicPages[path] ?? unknown
  if (page.content !== null) return page
  if (typeof found === 'object') return { ...page, content: found[path] }
  return { ...page, content: found === 'waiting' ? waiting : missing }
}

/** The public pages; `drawn` is the path that is drawn at build time. */
export function PublicApp({ drawn }: { drawn: string }) {
  const path = usePath(drawn)
  const { title, content } = usePage(path)
  const shown = useRef({ path, content })
  useEffect(() => {
    document.title = `${title} · ${product.name}`
    const before = shown.current
    if (before.path === path && before.content === content) return
    shown.current = { path, content }
    scrollTo(0, 0)
    focusFirst()
  }, [path, title, content])
  return <div key={path}>{content}</div>
}

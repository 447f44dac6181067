import { useEffect, useRef, type ReactNode } from 'react'
import { paths } from '#web/paths.ts'
import { faces } from '#web/shell/faces.ts'
import { product } from '#web/ui/product.ts'
import { Confirm } from './Confirm.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { ErrorAlone, Maintenance } from './ErrorPages.tsx'
import { Landing } from './Landing.tsx'
import { LockScreen } from './LockScreen.tsx'
import { LoginPassword } from './LoginPassword.tsx'
import { LoginPin } from './LoginPin.tsx'
import { usePath } from './navigate.ts'
import { NewPassword } from './NewPassword.tsx'
import { ResetPassword, SuccessMail } from './ResetPassword.tsx'
import { SignIn } from './SignIn.tsx'
import { SignUp } from './SignUp.tsx'
import { TwoFactor } from './TwoFactor.tsx'

type Page = { title: string; content: ReactNode }

/** Every public page by its address. */
export const publicPages: Record<string, Page> = {
  [paths.signIn()]: { title: 'Sign in', content: <SignIn /> },
  [paths.signUp()]: { title: 'Create an account', content: <SignUp /> },
  [paths.resetPassword()]: { title: 'Set a new password', content: <ResetPassword /> },
  [paths.successMail()]: { title: 'Look into your mail', content: <SuccessMail /> },
  [paths.confirm()]: { title: 'Enter the code', content: <Confirm /> },
  [paths.newPassword()]: { title: 'Choose a new password', content: <NewPassword /> },
  [paths.loginPassword()]: { title: 'Enter your password', content: <LoginPassword /> },
  [paths.loginPin()]: { title: 'Sign-in by code', content: <LoginPin /> },
  [paths.twoFactor()]: { title: 'Second step', content: <TwoFactor /> },
  [paths.lockScreen()]: { title: 'Lock the session', content: <LockScreen /> },
  [paths.deleteAccount()]: { title: 'Delete your account', content: <DeleteAccount /> },
  ...Object.fromEntries(
    ([400, 401, 403, 404, 408, 500] as const).map((status) => [
      paths.error(status),
      { title: faces[status].headline, content: <ErrorAlone status={status} /> },
    ]),
  ),
  [paths.maintenance()]: { title: 'Site Under Maintenance', content: <Maintenance /> },
  [paths.landing()]: { title: 'Video with proof of viewing', content: <Landing /> },
}

const missing: Page = { title: faces[404].headline, content: <ErrorAlone status={404} /> }

/** The public pages; `drawn` is the path that is drawn at build time. */
export function PublicApp({ drawn }: { drawn: string }) {
  const path = usePath(drawn)
  const { title, content } = publicPages[path] ?? missing
  const shown = useRef(path)
  useEffect(() => {
    document.title = `${title} · ${product.name}`
    if (shown.current === path) return
    shown.current = path
    scrollTo(0, 0)
    const find = (what: string) => document.querySelector<HTMLElement>(what)
    ;(find('[data-autofocus]') ?? find('h1'))?.focus()
  }, [path, title])
  return <div key={path}>{content}</div>
}

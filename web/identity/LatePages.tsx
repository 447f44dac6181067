import { type ReactNode, Suspense, useState, useSyncExternalStore } from 'react'
import { reasonText } from '#contract/platform/reasons.ts'
import { wordReasonsBy } from '#web/api/errors.ts'
import { paths } from '#web/paths.ts'
import { Confirm } from './account/Confirm.tsx'
import { DeleteAccount } from './account/DeleteAccount.tsx'
import { LockScreen } from './sign-in/LockScreen.tsx'
import { LoginPin } from './sign-in/LoginPin.tsx'
import { NewPassword } from './account/NewPassword.tsx'
import { ReportMails } from './account/ReportMails.tsx'
import { ResetPassword, SuccessMail } from './account/ResetPassword.tsx'
import { SignUp } from './account/SignUp.tsx'
import { flow } from './flow.ts'
import { Card } from './Frame.tsx'
import { Lost } from './Lost.tsx'
import { onDemand } from './Missing.tsx'

wordReasonsBy(reasonText)

/** Each on its own: passkeys and the QR code come along, and nobody needs both. */
const SecondStep = onDemand(async () => (await import('./second-step/SecondStep.tsx')).SecondStep)
const FirstFactor = onDemand(async () => (await import('./second-step/FirstFactor.tsx')).FirstFactor)

/** The words of refused sign-ins come along. */
const AtProvider = onDemand(async () => (await import('./provider/AtProvider.tsx')).AtProvider)

/** Completes a sign-in with what the person has, or sets up what the policy asks for. */
function TwoFactor() {
  const [methods] = useState(() => flow.read().methods)
  if (methods === null) return <Lost />
  return (
    <Suspense fallback={<Card title="Second step" lead="One moment, please." />}>
      {methods.length > 0 ? <SecondStep methods={methods} /> : <FirstFactor />}
    </Suspense>
  )
}

const never = () => () => undefined

/** Only a browser knows what it is about. */
function Between() {
  const isHere = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  const waiting = <Card title="One moment, please" />
  if (!isHere) return waiting
  return (
    <Suspense fallback={waiting}>
      <AtProvider />
    </Suspense>
  )
}

/** Pages that are hardly ever the first that somebody sees; none of them counts in the weight of those that are. */
export const latePages: Record<string, ReactNode> = {
  [paths.signUp()]: <SignUp />,
  [paths.resetPassword()]: <ResetPassword />,
  [paths.successMail()]: <SuccessMail />,
  [paths.confirm()]: <Confirm />,
  [paths.reportMails()]: <ReportMails />,
  [paths.newPassword()]: <NewPassword />,
  [paths.loginPin()]: <LoginPin />,
  [paths.twoFactor()]: <TwoFactor />,
  [paths.atProvider()]: <Between />,
  [paths.lockScreen()]: <LockScreen />,
  [paths.deleteAccount()]: <DeleteAccount />,
}

import type { ReactNode } from 'react'
import { paths } from '#web/paths.ts'
import { Confirm } from './Confirm.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { LockScreen } from './LockScreen.tsx'
import { LoginPin } from './LoginPin.tsx'
import { NewPassword } from './NewPassword.tsx'
import { ReportMails } from './ReportMails.tsx'
import { ResetPassword, SuccessMail } from './ResetPassword.tsx'
import { SignUp } from './SignUp.tsx'
import { TwoFactor } from './TwoFactor.tsx'

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
  [paths.lockScreen()]: <LockScreen />,
  [paths.deleteAccount()]: <DeleteAccount />,
}

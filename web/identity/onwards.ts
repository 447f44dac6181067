import type { SignInAnswer } from '#contract/identity/auth.ts'
import type { Watching } from '#contract/identity/sso-sign-in.ts'
import { session } from '#web/api/session.ts'
import { paths, returnAddress } from '#web/paths.ts'
import { flow } from './flow.ts'
import { goTo } from './navigate.ts'

/** Where a proof leads: into the console, or to the next step that the server asks for. */
export function goOn(answer: SignInAnswer | Watching): void {
  switch (answer.status) {
    case 'authenticated':
    case 'watching':
      if (answer.status === 'authenticated') session.signIn(answer)
      location.assign(returnAddress(new URLSearchParams(location.search).get('return')))
      return
    case 'mfa_required':
      flow.secondStep(answer.flowToken, answer.methods)
      return goTo(paths.twoFactor() + location.search)
    case 'mfa_enrollment_required':
      flow.secondStep(answer.flowToken, [])
      return goTo(paths.twoFactor() + location.search)
    case 'password_change_required':
      flow.mustChange(answer.flowToken, answer.reason)
      return goTo(paths.newPassword() + location.search)
  }
}

import type { Connection } from '#contract/identity/sso.ts'
import type { Label } from '#web/ui/figures/StatusBadge.tsx'

/** How a connection stands, the most urgent first. */
export function stateOf({ isOn, isSecretLost, lastFault, lastSignInAt, trial }: Connection): Label {
  if (isSecretLost)
    return {
      word: 'Secret lost',
      tone: 'danger',
      means: 'The secret cannot be read any more. Type it again.',
    }
  if (!isOn) return { word: 'Off', tone: 'neutral', means: 'Nobody signs in by it until it is switched on.' }
  if (lastFault) return { word: 'Refused', tone: 'warning', means: 'The last sign-in was refused.' }
  if (lastSignInAt) return { word: 'Works', tone: 'success', means: 'The last sign-in went well.' }
  const isTried = trial !== null && trial.findings.every(({ result }) => result === 'good')
  return isTried
    ? { word: 'Tried', tone: 'success', means: 'The trial went well. Nobody has signed in by it yet.' }
    : { word: 'Not tried', tone: 'neutral', means: 'Open it and try it before anybody signs in by it.' }
}

import {
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { MfaEnrolled, Reauthenticated, SignInAnswer } from '#contract/identity/auth.ts'
import { askPasskey, Credential, verifyPasskey } from '#contract/identity/factors.ts'
import { call } from './client.ts'
import { ApiError, explain, type Explanation } from './errors.ts'

/** Browsers say more of a credential than is asked, and newer ones more still; the server takes what it knows. */
const known = (credential: unknown) => Credential.parse(credential)

/** A new passkey for the signed-in person, or for the sign-in that asks for one. */
export async function makePasskey(flowToken?: string | null): Promise<MfaEnrolled> {
  const asked = await call(askPasskey, { body: { for: 'register' }, flowToken })
  // The options are those of WebAuthn's own description, which the contract does not repeat.
  const optionsJSON = asked.options as unknown as PublicKeyCredentialCreationOptionsJSON
  const credential = known(await startRegistration({ optionsJSON }))
  const answer = await call(verifyPasskey, { body: { credential }, flowToken: asked.flowToken })
  if (answer.status !== 'mfa_enrolled') throw new ApiError('unparseable')
  return answer
}

type Proving = {
  /** Waits, without a word, until a passkey is chosen in the list below the field of the address; then calls this. */
  onChosen?: () => void
  flowToken?: string | null
  remember?: () => boolean
}

async function prove(use: 'sign_in' | 'second_step' | 'reauthenticate', proving: Proving = {}) {
  const { onChosen, flowToken, remember } = proving
  const asked = await call(askPasskey, { body: { for: use }, flowToken })
  const optionsJSON = asked.options as unknown as PublicKeyCredentialRequestOptionsJSON
  const useBrowserAutofill = onChosen !== undefined
  const credential = known(await startAuthentication({ optionsJSON, useBrowserAutofill }))
  onChosen?.()
  const body = { credential, remember: remember?.() ?? false }
  return call(verifyPasskey, { body, flowToken: asked.flowToken })
}

/** Signs in, or completes a sign-in, with a passkey. */
export async function enterByPasskey(
  use: 'sign_in' | 'second_step',
  proving: Proving = {},
): Promise<SignInAnswer> {
  const answer = await prove(use, proving)
  if (answer.status === 'reauthenticated' || answer.status === 'mfa_enrolled')
    throw new ApiError('unparseable')
  return answer
}

/** Proves again who is there; unlocks a locked session. The session then has the token of the answer. */
export async function reauthenticateByPasskey(): Promise<Reauthenticated> {
  const answer = await prove('reauthenticate')
  if (answer.status !== 'reauthenticated') throw new ApiError('unparseable')
  return answer
}

/** Ends a wait for the list below the field. */
export function stopPasskey(): void {
  WebAuthnAbortService.cancelCeremony()
}

const ownLabels: Record<string, Explanation> = {
  NotAllowedError: {
    title: 'No passkey was used',
    detail: 'It was cancelled, or it took too long. You can try again.',
    retry: true,
  },
  InvalidStateError: {
    title: 'This device has a passkey for you already',
    detail: 'Use that one, or add a passkey on another device.',
    retry: false,
  },
}

/** What the browser or the server says about a passkey, in plain words. */
export function explainPasskey(error: unknown): Explanation {
  if (error instanceof ApiError) {
    return error.problem?.code === 'invalid_credentials'
      ? { title: 'This passkey was not accepted', detail: explain(error).detail, retry: true }
      : explain(error)
  }
  const name = error instanceof Error ? error.name : ''
  return (
    ownLabels[name] ?? {
      title: 'The passkey could not be used',
      detail: 'This browser or device did not allow it here. Please use another way.',
      retry: true,
    }
  )
}

import type { FastifyRequest } from 'fastify'
import type { Credential } from '#contract/identity/factors.ts'
import { refuse } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import type { Challenge } from '../flows.ts'
import type { Account } from '../queries.ts'

/** Read at the first passkey and not at the start: it is large. */
const library = () => import('@simplewebauthn/server')

/** Not below the ten minutes of a flow, so that the browser never gives up first. */
const timeout = 600_000

/**
 * The address that the browser shows, which a passkey is bound to: that of the installation, or this very computer while
 * the installation is not reached by https.
 */
export function originOf(services: Services, request: FastifyRequest): string {
  const own = new URL(services.publicUrl())
  const asked = request.headers.origin ?? own.origin
  const isHere = URL.canParse(asked) && new URL(asked).hostname === 'localhost' && own.protocol === 'http:'
  if (asked === own.origin || isHere) return asked
  throw refuse('forbidden', { reason: { code: 'passkey_elsewhere', params: { origin: own.origin } } })
}

const rpIdOf = (origin: string) => new URL(origin).hostname

/** Tells the browser and the passkey whose it is, without a name in it. */
export const handleOf = (userId: string): string => Buffer.from(userId).toString('base64url')

/** EdDSA, ES256, RS256: what passkeys sign with. */
const supportedAlgorithmIDs = [-8, -7, -257]

type KnownPasskey = { credentialId: string; transports: string[] }
const asList = (known: readonly KnownPasskey[]) =>
  known.map(({ credentialId, transports }) => ({ id: credentialId, transports }))

type Making = { origin: string; product: string; account: Account; known: readonly KnownPasskey[] }

/** For a new passkey, which can be found without a name and asks for a finger, a face or a PIN. */
export async function creationOptions({ origin, product, account, known }: Making) {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: product,
    rpID: rpIdOf(origin),
    userID: new Uint8Array(Buffer.from(account.id)),
    userName: account.email,
    userDisplayName: account.name,
    excludeCredentials: asList(known),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs,
    timeout,
  })
  return { ...options }
}

/** Without known ones the browser asks which passkey to use. */
export async function requestOptions(origin: string, known?: readonly KnownPasskey[]) {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: rpIdOf(origin),
    userVerification: 'required',
    ...(known ? { allowCredentials: asList(known) } : {}),
    timeout,
  })
  return { ...options }
}

const plain = { clientExtensionResults: {} }
const expected = ({ challenge, origin }: Challenge) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rpIdOf(origin),
  requireUserVerification: true,
})

type NewCredential = {
  aaguid: string
  credential: { id: string; publicKey: Uint8Array; counter: number }
  credentialBackedUp: boolean
}

/** Undefined when the answer is none at all; why it is not one to this question is thrown. */
export async function newCredential(
  asked: Challenge,
  { response, ...credential }: Credential,
): Promise<NewCredential | undefined> {
  const { attestationObject, clientDataJSON } = response
  if (attestationObject === undefined) return undefined
  const { verifyRegistrationResponse } = await library()
  const verified = await verifyRegistrationResponse({
    ...expected(asked),
    supportedAlgorithmIDs,
    response: { ...credential, ...plain, response: { attestationObject, clientDataJSON } },
  })
  return verified.registrationInfo
}

type StoredKey = { credentialId: string; publicKey: Buffer }

/** Whether whoever answered holds the private key, at the right address, and was asked for a finger, a face or a PIN. */
export async function checkCredential(
  asked: Challenge,
  { response, ...credential }: Credential,
  { credentialId, publicKey }: StoredKey,
): Promise<{ counter: number; backedUp: boolean } | undefined> {
  const { authenticatorData, signature, clientDataJSON } = response
  if (authenticatorData === undefined || signature === undefined) return undefined
  const { verifyAuthenticationResponse } = await library()
  const verified = await verifyAuthenticationResponse({
    ...expected(asked),
    response: { ...credential, ...plain, response: { authenticatorData, signature, clientDataJSON } },
    // The counter is compared where it is stored, in one statement, and only once the signature is known to be right.
    credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
  })
  if (!verified.verified) return undefined
  const { newCounter, credentialBackedUp } = verified.authenticationInfo
  return { counter: newCounter, backedUp: credentialBackedUp }
}

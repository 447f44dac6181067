import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import { askForCode, tryCode } from '../../identity/factors/codes.ts'
import { addressOf } from '../../platform/http/address.ts'
import type { Tx } from '../../platform/db/client.ts'
import { tryPin } from '../../cards/pin.ts'
import { consume } from '../../identity/flows.ts'
import type { sayIn } from '../../platform/messages.ts'
import { openDevice } from './device.ts'
import type { Owner } from './owner.ts'
import type { Asking } from './page.ts'

type Say = ReturnType<typeof sayIn<'training'>>
type ProofRequest = { services: Services; owner: Owner; request: FastifyRequest; say: Say }

/** Mails a code to whoever reads the person's mailbox now, under the limits of every other mailed code. */
export async function askCode({ services, owner, request, say }: ProofRequest): Promise<Asking> {
  const { email: identifier, userId, organizationId, organization } = owner
  try {
    const { answer, mail } = await askForCode({
      services,
      request,
      identifier,
      purpose: 'own_training',
      claimant: { userId, organizationId },
    })
    await mail()
    const notice = answer.rests
      ? say('rests', { organization })
      : say('sent', { address: answer.maskedDestination })
    return { notice, flow: answer.flowToken }
  } catch (error) {
    if (!(error instanceof Refusal) || error.fault.code !== 'too_many_requests') throw error
    return { notice: say('tooOften'), flow: null }
  }
}

type Typed = { code: string; flow: string; reply: FastifyReply }

/**
 * Opens this device for the person whose code was typed. Otherwise it returns what to say, and the flow as long as it may be tried again.
 */
export async function tryToOpen(
  { services, owner, request, say }: ProofRequest,
  { code, flow: flowToken, reply }: Typed,
): Promise<Asking | undefined> {
  const { userId } = owner
  try {
    const flow = await tryCode({ services, flowToken, code: code.trim(), identifier: undefined })
    if (flow.purpose !== 'own_training' || flow.userId !== userId)
      return { notice: say('codeEnded'), flow: null }
    await services.db.as('system', async (tx) => {
      await consume(tx, flow)
      await noteOpening(tx, owner, request)
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return said(error, flowToken, say)
  }
  openDevice(services, reply, owner)
  return undefined
}

/** Opens this device by the PIN of a card, which takes the place of the code for a few devices. */
export async function tryPinToOpen(
  { services, owner, request, say }: ProofRequest,
  { code, reply }: Omit<Typed, 'flow'>,
): Promise<Asking | undefined> {
  const { deliveryId, organization } = owner
  const { db, keys } = services
  try {
    const pin = code.replaceAll(/\s/g, '')
    const isRight = await tryPin(db, { keys, deliveryId, pin, ip: addressOf(request) })
    if (isRight === undefined) return { notice: say('pinOver', { organization }), flow: null }
    if (!isRight) return { notice: say('wrongPin'), flow: null }
  } catch (error) {
    if (!(error instanceof Refusal) || error.fault.code !== 'too_many_requests') throw error
    return { notice: say('tooOften'), flow: null }
  }
  await db.as('system', (tx) => noteOpening(tx, owner, request))
  openDevice(services, reply, owner)
  return undefined
}

async function noteOpening(
  tx: Tx,
  { organizationId, userId, deliveryId }: Owner,
  request: FastifyRequest,
): Promise<void> {
  const entry = { organizationId, entity: 'user', entityId: userId } as const
  const after = { deliveryId }
  await audit(tx, { caller: { userId }, request }, { ...entry, action: 'user.own_training_opened', after })
}

function said({ fault }: Refusal, flow: string, say: Say): Asking {
  if (fault.code !== 'invalid_code') return { notice: say('codeEnded'), flow: null }
  const isLast = fault.reason?.code === 'no_tries_new_code'
  return { notice: say(isLast ? 'noTries' : 'wrongCode'), flow: isLast ? null : flow }
}

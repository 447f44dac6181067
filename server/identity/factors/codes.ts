import { randomInt } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { CodeSent } from '#contract/identity/auth.ts'
import type { Reason } from '#contract/platform/reasons.ts'
import { arrayOf, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { addressOf } from '../../platform/http/address.ts'
import { isoText } from '../../platform/db/search.ts'
import type { Services } from '../../platform/http/services.ts'
import { hasMailServer } from '../../platform/jobs/mail-server.ts'
import { queueMail, dropMail } from '../../platform/jobs/mail.ts'
import { randomToken, sha256, type Keys } from '../../platform/keys.ts'
import { knownDevice } from '../devices.ts'
import { consume, endFlows, flowColumns, flowEnd, startFlow, Flow } from '../flows.ts'
import { mailWaiting } from '../invitations.ts'
import { takeTry } from '../limit.ts'
import { codeLimits, takeNamed } from '../mail-limits.ts'
import { senderOfMails } from '../mail-brand.ts'
import { languageOfPerson } from '../mail-language.ts'
import { codeMail, type Purpose } from '../mails.ts'
import { accountByEmail } from '../queries.ts'
import { firstSign } from '#contract/platform/text/text.ts'

const codeLength = 6
const resendSeconds = 30

/**
 * A code fits only the flow that asked for it; keyed, because a million codes are quickly hashed. The first is the one to store;
 * one that was mailed before the secret was changed has another.
 */
function codeHashes(keys: Keys, flowToken: string, code: string): string[] {
  return keys
    .signatures('mailed-code', `${flowToken} ${code}`)
    .map((signature) => Buffer.from(signature, 'base64url').toString('hex'))
}

/** Made of what was typed, never of what is stored. */
function masked(identifier: string): string {
  const at = identifier.lastIndexOf('@')
  const first = firstSign(identifier)
  return at > 0 ? `${first}•••${identifier.slice(at)}` : `${first}•••`
}

/** Somebody signed in who wants an address for their account that is not yet known to be theirs. */
type Claimant = { userId: string; organizationId: string | null }
type Ask = {
  services: Services
  request: FastifyRequest
  identifier: string
  purpose: Purpose
  claimant?: Claimant | undefined
}
/** `mail` is the part that only an existing account has: it runs after the answer, which therefore takes the same time. */
type SentCode = { answer: CodeSent; mail: () => Promise<void> }

/** Whoever claims an address, or holds a link, uses up nothing of what its owner signs in with. */
function shareOf({ purpose, claimant }: Ask) {
  if (!claimant) return 'signIn'
  return purpose === 'confirm_email' ? 'claim' : 'link'
}

const Started = z.object({ id: z.string(), expiresAt: z.string() })

/** A browser that is known to be the owner's counts for itself, and its code outlives those that strangers ask for. */
export async function askForCode(ask: Ask): Promise<SentCode> {
  const { services, request, identifier, purpose, claimant } = ask
  const { db, keys } = services
  const flowToken = randomToken()
  const code = String(randomInt(10 ** codeLength)).padStart(codeLength, '0')
  const { flow, rests } = await db.as('system', async (tx) => {
    const known = await knownDevice(tx, ask, identifier)
    const share = shareOf(ask)
    await takeTry(tx, codeLimits({ keys, identifier, ip: addressOf(request), known }, share))
    if (share === 'claim' && known === undefined) await takeNamed(tx, { keys, emails: [identifier] })
    await endFlows(tx, { identifier, purpose, alsoVerified: false, askedBy: known ?? null })
    const data = known === undefined ? null : JSON.stringify({ askedBy: known })
    const started = await row(
      tx,
      Started,
      sql`insert into flows (token_hash, purpose, identifier, code_hash, data, expires_at)
        values (${sha256(flowToken)}, ${purpose}, ${identifier}, decode(${codeHashes(keys, flowToken, code)[0] ?? ''}, 'hex'), ${data}::jsonb, ${flowEnd})
        returning id, ${isoText(sql`expires_at`)} as "expiresAt"`,
    )
    return { flow: started, rests: !(await hasMailServer(tx, services.env)) }
  })
  if (!flow) throw new Error('The flow was not stored.')
  const answer = {
    status: 'sent' as const,
    flowToken,
    maskedDestination: masked(identifier),
    codeLength,
    expiresAt: flow.expiresAt,
    resendAfter: resendSeconds,
    rests,
  }
  const mailing = { flowId: flow.id, identifier, purpose, code }
  const mail = () => (claimant ? mailClaim(services, mailing, claimant) : mailCode(services, mailing))
  return { answer, mail }
}

type Mailing = { flowId: string; identifier: string; purpose: Purpose; code: string }

async function mailCode(services: Services, { flowId, identifier, purpose, code }: Mailing): Promise<void> {
  await services.db.as('system', async (tx) => {
    const account = await accountByEmail(tx, identifier)
    const known = account?.mayEnter ? account : undefined
    // The same statements for nobody and for somebody, so that the server's next answers take the same time as well, and whoever has
    // sent an invitation cannot tell by its mails.
    if (purpose === 'reset_password') await mailWaiting(services, tx, identifier)
    await tx.execute(sql`update flows set user_id = ${known?.id ?? null} where id = ${flowId}`)
    const language = await languageOfPerson(tx, known?.id ?? null)
    const mailId = await queueMail(services, tx, {
      organizationId: known?.organizationId ?? null,
      address: identifier,
      ...codeMail(services.env, { language, name: known?.name ?? identifier, purpose, code }),
    })
    // What was written for nobody goes again before anybody could see it.
    await dropMail(tx, known ? null : mailId)
  })
}

/** To whoever reads there, by no name: what the claimant is called is not for strangers to read. */
async function mailClaim(services: Services, mailing: Mailing, claimant: Claimant): Promise<void> {
  const { flowId, identifier, purpose, code } = mailing
  const { userId, organizationId } = claimant
  await services.db.as('system', async (tx) => {
    await tx.execute(sql`update flows set user_id = ${userId} where id = ${flowId}`)
    const { brand, senderName } = await senderOfMails(tx, services, organizationId)
    const language = await languageOfPerson(tx, userId)
    const text = codeMail(services.env, { language, name: null, purpose, code }, brand)
    await queueMail(services, tx, { organizationId, address: identifier, senderName, ...text })
  })
}

type CodeTry = { services: Services; flowToken: string; code: string; identifier: string | undefined }

const Tried = z.extend(Flow, { right: z.boolean(), triesLeft: z.number() })

/**
 * The flow, if the code fits. A wrong one costs a try in the same statement that compares, so that no number of parallel
 * requests gets more than five.
 */
export async function tryCode({ services, flowToken, code, identifier }: CodeTry): Promise<Flow> {
  const fits = sql`(encode(code_hash, 'hex') = any(${arrayOf(codeHashes(services.keys, flowToken, code), 'text')}) and user_id is not null
    and identifier = coalesce(${identifier ?? null}::text, identifier))`
  const tried = await services.db.as('system', (tx) =>
    row(
      tx,
      Tried,
      sql`update flows set tries_left = tries_left - (not ${fits})::int
        where token_hash = ${sha256(flowToken)} and code_hash is not null and not verified
          and used_at is null and expires_at > now() and tries_left > 0
        returning ${flowColumns}, tries_left as "triesLeft", ${fits} as right`,
    ),
  )
  if (!tried) throw refuse('flow_expired')
  if (!tried.right) throw refuse('invalid_code', { reason: triesLeft(tried.triesLeft, 'no_tries_new_code') })
  return tried
}

type NoTries = 'no_tries_new_code' | 'no_tries_sign_in' | 'no_tries_set_up'

/** How a wrong code is answered; `none` tells what helps when no tries are left. */
export const triesLeft = (left: number, none: NoTries): Reason =>
  left === 0 ? { code: none } : { code: 'tries_left', params: { left } }

type Verified = { status: 'verified'; purpose: string; flowToken: string }

/** Exchanges the flow of a right code for a token of the next step; works once. */
export async function exchange(tx: Tx, flow: Flow): Promise<Verified> {
  await consume(tx, flow)
  const { purpose, identifier, userId } = flow
  const { flowToken } = await startFlow(tx, { purpose, identifier, userId, verified: true })
  return { status: 'verified', purpose, flowToken }
}

import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { CodeSent } from '#contract/identity/auth.ts'
import { ownDataParts, type PersonDataPart } from '#contract/evidence/privacy.ts'
import { hasRow, row, type Database, type Tx } from '#server/platform/db/client.ts'
import { refuse } from '#server/platform/errors.ts'
import { audit } from '#server/platform/http/audit.ts'
import type { Services } from '#server/platform/http/services.ts'
import { askForCode, tryCode } from '#server/identity/factors/codes.ts'
import { consume, flowTokenOf } from '#server/identity/flows.ts'
import { pacer, requireTurn } from '#server/tracking/ingest/pace.ts'
import { requirePlay, type PlayClaims } from '#server/tracking/ingest/token.ts'
import { sql } from '../../platform/db/sql.ts'
import type { PersonKey } from '../../tracking/forget.ts'
import { personData, subjectOf, type DataSubject } from './person-data.ts'
import { takesPart } from '../../people.ts'

/** These parts are kept of somebody who came without a personal link. */
const visitParts = ['videos', 'sessions', 'quizzes'] as const satisfies readonly PersonDataPart[]

/**
 * Hands whoever holds a play token what is kept about them. The token proves that the page was opened by the personal link, and a mailed
 * code proves that it is the person. The link has to be valid still: it ends with the message, the person, the video and the organization.
 */
export function ownData(services: Services) {
  const { db, keys } = services
  const wait = pacer({ burst: 3, everyMs: 60_000 })

  return async ({ playToken, code }: OwnDataRequest, request: FastifyRequest) => {
    const claims = requirePlay(keys, playToken)
    const about = subjectIn(claims)
    const scope = { organizationId: claims.org }
    await db.as(scope, (tx) => requirePerson(tx, claims, about))
    await prove(services, about, { code, request })
    requireTurn(wait(claims.viewerKey, Date.now()))
    await db.as(scope, async (tx) => {
      await requirePerson(tx, claims, about)
      if (about.userId === null) await noteVisit(tx, request, claims)
      else await noteTaking(tx, request, { organizationId: claims.org, userId: about.userId })
    })
    return ownFile(db, about)
  }
}

/** Returns the file with what is kept about somebody, for them to take along. */
export function ownFile(db: Database, about: DataSubject) {
  const day = new Date().toISOString().slice(0, 10)
  const parts = about.userId === null ? visitParts : ownDataParts
  return {
    name: `your-data-${day}.json`,
    type: 'application/json; charset=utf-8',
    content: personData(db, { about, parts, isOwn: true }),
  }
}

type OwnDataRequest = { playToken: string; code?: string | undefined }

/**
 * Asks for the mailed code. Whoever holds the link need not be the person, and what is kept about them is for the reader of their mailbox
 * alone.
 */
async function prove(
  services: Services,
  { userId }: DataSubject,
  { code, request }: { code: string | undefined; request: FastifyRequest },
): Promise<void> {
  if (userId === null) return
  if (code === undefined)
    throw refuse('reauthentication_required', { reason: { code: 'mailed_code_needed' } })
  const flow = await tryCode({ services, flowToken: flowTokenOf(request), code, identifier: undefined })
  if (flow.purpose !== 'own_data' || flow.userId !== userId) throw refuse('flow_expired')
  await services.db.as('system', (tx) => consume(tx, flow))
}

const EmailRow = z.object({ email: z.string() })

/** Mails the code to the address that the person has now. */
export async function mailOwnDataCode(
  services: Services,
  playToken: string,
  request: FastifyRequest,
): Promise<CodeSent> {
  const claims = requirePlay(services.keys, playToken)
  const about = subjectIn(claims)
  const organizationId = claims.org
  const person = await services.db.as({ organizationId }, async (tx) => {
    await requirePerson(tx, claims, about)
    return row(
      tx,
      EmailRow,
      sql`select lower(btrim(email)) as email from users where id = ${about.userId}::uuid`,
    )
  })
  if (!person || about.userId === null) throw refuse('not_found')
  const { answer, mail } = await askForCode({
    services,
    request,
    identifier: person.email,
    purpose: 'own_data',
    claimant: { userId: about.userId, organizationId },
  })
  await mail()
  return answer
}

/** Returns whom a token is about. Refuses a preview, of which nothing is kept. */
function subjectIn({ kind, org, viewerKey }: PlayClaims): DataSubject {
  if (kind === 'recipient')
    return subjectOf({ organizationId: org, userId: viewerKey.slice('recipient:'.length) })
  if (kind === 'visitor') return { organizationId: org, userId: null, viewerKeys: [viewerKey] }
  throw refuse('forbidden')
}

async function requirePerson(tx: Tx, claims: PlayClaims, { userId }: DataSubject): Promise<void> {
  const delivered = sql`exists (select from deliveries d join transmissions t on t.id = d.transmission_id
    join users u on u.id = d.user_id and ${takesPart('u')}
    where d.id = ${claims.delivery ?? null}::uuid and d.transmission_id = ${claims.transmission ?? null}::uuid
      and d.user_id = ${userId}::uuid and d.organization_id = o.id and d.link_hash is not null and d.link_revoked_at is null
      and coalesce(t.links_end_at > now(), true) and t.video_id = v.id)`
  const open = sql`v.privacy in ('public', 'link')`
  const found = await hasRow(
    tx,
    sql`select 1 from organizations o join videos v on v.organization_id = o.id and v.id = ${claims.video} and v.deleted_at is null
      where o.id = ${claims.org} and o.deleted_at is null and o.state = 'active' and ${userId === null ? open : delivered}`,
  )
  if (!found) throw refuse('link_expired', { reason: { code: 'link_over' } })
}

export async function noteTaking(
  tx: Tx,
  request: FastifyRequest,
  { organizationId, userId }: PersonKey,
): Promise<void> {
  const entry = { action: 'user.own_data_taken', entity: 'user', entityId: userId } as const
  await audit(tx, { caller: { userId }, request }, { organizationId, ...entry })
}

async function noteVisit(tx: Tx, request: FastifyRequest, { org, video }: PlayClaims): Promise<void> {
  const entry = { action: 'video.visit_data_taken', entity: 'video', entityId: video } as const
  await audit(tx, { caller: undefined, request }, { organizationId: org, ...entry })
}

import type { FastifyRequest } from 'fastify'
import { ownDataParts, type PersonDataPart } from '#contract/privacy.ts'
import { row, type Tx } from '#server/db/client.ts'
import { refuse } from '#server/errors.ts'
import { audit } from '#server/http/audit.ts'
import type { Services } from '#server/http/services.ts'
import { pacer } from '#server/plays/pace.ts'
import { requirePlay, type PlayClaims } from '#server/plays/token.ts'
import { sql } from '../../db/drizzle.ts'
import { personData, subjectOf, type DataSubject } from './person-data.ts'

/** What is kept of somebody who came without a personal link. */
const visitParts = ['videos', 'sessions', 'quizzes'] as const satisfies readonly PersonDataPart[]

/**
 * What is kept about whoever holds a play token, for themselves. The token proves that the page was opened by the personal link;
 * the link has to stand still: it ends with the message, the person, the video and the organization.
 */
export function ownData({ db, keys }: Services) {
  const wait = pacer({ burst: 3, everyMs: 60_000 })

  return async (playToken: string, request: FastifyRequest) => {
    const claims = requirePlay(keys, playToken)
    const about = subjectIn(claims)
    const retryAfter = wait(claims.viewerKey, Date.now())
    if (retryAfter > 0) throw refuse('too_many_requests', { retryAfter })
    await db.as({ organizationId: claims.org }, async (tx) => {
      if (!(await stands(tx, claims, about))) throw refuse('link_expired', { detail: 'This link has ended.' })
      await noteTaking(tx, request, { claims, about })
    })
    const day = new Date().toISOString().slice(0, 10)
    const parts = about.userId === null ? visitParts : ownDataParts
    return {
      name: `your-data-${day}.json`,
      type: 'application/json; charset=utf-8',
      content: personData(db, { about, parts, isOwn: true }),
    }
  }
}

/** Nothing is kept of a preview. */
function subjectIn({ kind, org, viewerKey }: PlayClaims): DataSubject {
  if (kind === 'recipient')
    return subjectOf({ organizationId: org, userId: viewerKey.slice('recipient:'.length) })
  if (kind === 'visitor') return { organizationId: org, userId: null, viewerKeys: [viewerKey] }
  throw refuse('forbidden')
}

async function stands(tx: Tx, claims: PlayClaims, { userId }: DataSubject): Promise<boolean> {
  const delivered = sql`exists (select from deliveries d join transmissions t on t.id = d.transmission_id
    join users u on u.id = d.user_id and u.deleted_at is null and u.state not in ('disabled', 'deleted')
    where d.id = ${claims.delivery ?? null}::uuid and d.transmission_id = ${claims.transmission ?? null}::uuid
      and d.user_id = ${userId}::uuid and d.organization_id = o.id and d.link_hash is not null and d.link_revoked_at is null
      and coalesce(t.links_end_at > now(), true) and t.video_id = v.id)`
  const open = sql`v.privacy in ('public', 'link')`
  const found = await row(
    tx,
    sql`select 1 from organizations o join videos v on v.organization_id = o.id and v.id = ${claims.video} and v.deleted_at is null
      where o.id = ${claims.org} and o.deleted_at is null and o.state = 'active' and ${userId === null ? open : delivered}`,
  )
  return found !== undefined
}

type Taking = { claims: PlayClaims; about: DataSubject }

async function noteTaking(tx: Tx, request: FastifyRequest, { claims, about }: Taking): Promise<void> {
  const { userId } = about
  const caller = userId === null ? undefined : { userId }
  const entry =
    userId === null
      ? ({ action: 'video.visit_data_taken', entity: 'video', entityId: claims.video } as const)
      : ({ action: 'user.own_data_taken', entity: 'user', entityId: userId } as const)
  await audit(tx, { caller, request }, { organizationId: claims.org, ...entry })
}

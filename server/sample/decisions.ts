import * as z from 'zod/mini'
import type { Language } from '#contract/platform/text/languages.ts'
import { Audience } from '#contract/transmissions/transmissions.ts'
import { hasRow, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { audit } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Services } from '../platform/http/services.ts'
import { changeOrganization, lockOrganization } from '../directory/organizations/queries.ts'
import { waive } from '../duty/waivers.ts'
import { create } from '../transmissions/compose/create.ts'
import { issue } from '../evidence/certificates/issue.ts'
import { noteAll, type Author } from './diary.ts'
import { words } from './words.ts'

const day = 86_400_000

export type Deciding = { services: Services; organizationId: string; language: Language; by: Author }

/** What people decided after they saw how their videos were watched. To be called when the viewing has been aggregated; once is enough. */
export async function decideApprovals({ services, organizationId, language, by }: Deciding): Promise<void> {
  await services.db.as({ organizationId }, async (tx) => {
    const waived = sql`select 1 from training_waivers where organization_id = ${organizationId} limit 1`
    if (await hasRow(tx, waived)) return
    await waiveSome(tx, { organizationId, by }, language)
    await certifySome(services, tx, { organizationId, by })
  })
}

type Within = { organizationId: string; by: Author }

const Late = z.object({ userId: z.string(), videoId: z.string(), title: z.string() })

/** Some who are late need not watch after all. */
async function waiveSome(tx: Tx, { organizationId, by }: Within, language: Language): Promise<void> {
  const late = await rows(
    tx,
    Late,
    sql`select distinct on (d.user_id) d.user_id as "userId", t.video_id as "videoId", v.title
      from deliveries d join transmissions t on t.id = d.transmission_id join videos v on v.id = t.video_id
      where t.organization_id = ${organizationId} and d.organization_id = ${organizationId} and t.due_at < now() and d.state = 'accepted'
        and not exists (select from viewer_videos w where w.video_id = t.video_id and w.user_id = d.user_id and w.completed_at is not null)
      order by d.user_id, t.due_at limit 40`,
  )
  for (const [n, { reason, months }] of words[language].waivers.entries()) {
    const one = late[n * 3]
    if (!one) return
    const { title, ...place } = one
    const at = new Date(Date.now() - (4 + n) * day)
    const until = months === null ? null : new Date(at.getTime() + months * 30 * day).toISOString()
    await waive(tx, {
      ...place,
      organizationId,
      by: { userId: by.id, name: by.name, viewer: null },
      body: { reason, until },
    })
    await tx.execute(
      sql`update training_waivers set given_at = ${at.toISOString()} where organization_id = ${organizationId}
        and user_id = ${place.userId} and video_id = ${place.videoId}`,
    )
    const about = { organizationId, entity: 'user', entityId: place.userId }
    await noteAll(tx, [
      { ...about, action: 'training.waived', by, at, after: { video: title, reason, until } },
    ])
  }
}

const Completed = z.object({ userId: z.string(), videoId: z.string(), name: z.string() })

/** Certificates carry the instant at which they are signed, so these are of the day on which the sample is made. */
async function certifySome({ keys }: Services, tx: Tx, { organizationId, by }: Within): Promise<void> {
  const completed = await rows(
    tx,
    Completed,
    sql`select distinct on (w.user_id) w.user_id as "userId", w.video_id as "videoId", u.name
      from viewer_videos w join users u on u.id = w.user_id
      where w.organization_id = ${organizationId} and w.completed_at is not null and w.evidence in ('proven', 'likely')
      order by w.user_id, w.completed_at desc limit 12`,
  )
  for (const [n, { userId, videoId, name }] of completed.entries()) {
    const isOwn = n % 3 === 0
    const about = { visibility: { organizationId, groupIds: undefined }, userId, videoId }
    await issue(tx, { keys, by: actor(isOwn ? { id: userId, name } : by), about, isOwn })
  }
}

type Asking = { services: Services; organizationId: string; by: Author; superadmin: Author }

const Videos = z.object({ id: z.string(), title: z.string() })

/** From now on somebody else approves what goes to many: one such transmission waits for the administrator, one for the superadmin. */
export async function askForApprovals({ services, organizationId, by, superadmin }: Asking): Promise<void> {
  await services.db.as('system', async (tx) => {
    const before = await lockOrganization(tx, organizationId)
    if (before.policies.approvalThreshold !== null) return
    const after = await changeOrganization(tx, before, {
      name: before.name,
      policies: { approvalThreshold: 50 },
    })
    const about = { organizationId, entity: 'organization', entityId: organizationId }
    await audit(tx, actor(by), { ...about, action: 'organization.changed', before, after })
    const videos = await rows(
      tx,
      Videos,
      sql`select id, title from videos where organization_id = ${organizationId} and deleted_at is null order by id limit 2`,
    )
    const authors = [caller(by, organizationId), { ...caller(superadmin, null), role: 'superadmin' as const }]
    for (const [n, { id, title }] of videos.entries()) {
      const author = authors[n]
      if (!author) return
      await create(tx, {
        services,
        caller: author,
        by: actor({ id: author.userId, name: author.name }),
        body: {
          accountId: organizationId,
          videoId: id,
          subject: `Once a year: ${title}`,
          body: 'Hello,\n\nit is time again for the yearly refresher. Please watch it within three weeks.\n\nThank you!',
          audience: Audience.parse({ everyone: true }),
          dueAt: new Date(Date.now() + 21 * day).toISOString().slice(0, 10),
        },
      })
    }
  })
}

export const actor = ({ id, name }: Author) => ({ caller: { userId: id, name }, request: undefined })

/** What a request of an administrator would say. */
export function caller({ id, name }: Author, organizationId: string | null): Caller {
  const never = new Date(8_640_000_000_000_000)
  return {
    sessionId: id,
    userId: id,
    role: 'admin',
    name,
    email: '',
    organizationId,
    organizationName: null,
    groupIds: [],
    idleExpiresAt: never,
    expiresAt: never,
    amr: [],
    reauthenticatedAt: null,
    isLocked: false,
    viewer: null,
    key: null,
  }
}

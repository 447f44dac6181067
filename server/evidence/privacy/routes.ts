import type { FastifyInstance } from 'fastify'
import {
  askOwnDataCode,
  eraseEvidence,
  exportPersonData,
  keepEvidence,
  personDataParts,
  readErasure,
  readRetention,
  takeOwnData,
  type PersonDataPart,
} from '#contract/evidence/privacy.ts'
import { hasRow, type Tx } from '#server/platform/db/client.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import type { Services } from '#server/platform/http/services.ts'
import { audit } from '#server/platform/http/audit.ts'
import { refuse } from '#server/platform/errors.ts'
import { sql } from '../../platform/db/sql.ts'
import { visibilityOf } from '#server/platform/http/visibility.ts'
import { requireSeen } from '../certificates/queries.ts'
import { countEvidence, erasePerson } from './erase.ts'
import { type PersonKey } from '../../tracking/forget.ts'
import { mailOwnDataCode, ownData } from './own-data.ts'
import { personData, subjectOf } from './person-data.ts'
import { comingDeletion } from './retain.ts'
import { isErased } from '../../people.ts'

/** Serves what is deleted by itself, what is erased because somebody asked for it, and the file that is handed over to a person. */
export function privacyRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  const { db } = services
  mount(readRetention, ({ tx, params: { orgId } }) => comingDeletion(tx, orgId))

  mount(exportPersonData, async ({ caller, scope, request, params: { orgId, userId } }) => {
    await db.as(scope, async (tx) => {
      await requireSeen(tx, { visibility: visibilityOf(caller, orgId), userId })
      const entry = { organizationId: orgId, entity: 'user', entityId: userId } as const
      await audit(tx, { caller, request }, { ...entry, action: 'user.data_exported' })
    })
    const parts = Object.keys(personDataParts) as PersonDataPart[]
    const about = subjectOf({ organizationId: orgId, userId })
    const content = personData(db, { about, parts, isOwn: false })
    const name = `person-${userId}-${new Date().toISOString().slice(0, 10)}.json`
    return { name, type: 'application/json; charset=utf-8', content }
  })

  const takeOwn = ownData(services)
  mount(takeOwnData, ({ body, request }) => takeOwn(body, request))
  mount(askOwnDataCode, ({ body: { playToken }, request }) => mailOwnDataCode(services, playToken, request))

  mount(readErasure, async ({ tx, params: { orgId, userId } }) => {
    await requirePerson(tx, { organizationId: orgId, userId })
    return standing(tx, { organizationId: orgId, userId })
  })

  mount(eraseEvidence, async ({ tx, caller, request, params: { orgId, userId }, body: { when } }) => {
    const erasing = { organizationId: orgId, userId }
    await requirePerson(tx, erasing)
    const entry = { organizationId: orgId, entity: 'user', entityId: userId } as const
    if (when === 'now') {
      const counts = await erasePerson(tx, erasing)
      await audit(tx, { caller, request }, { ...entry, action: 'user.evidence_erased', after: counts })
      return standing(tx, erasing)
    }
    const planned = await hasRow(
      tx,
      sql`insert into evidence_erasures (organization_id, user_id, asked_by) select ${orgId}, ${userId}, ${caller.userId}
        where not exists (select from evidence_erasures where user_id = ${userId} and done_at is null) returning id`,
    )
    if (planned) await audit(tx, { caller, request }, { ...entry, action: 'user.evidence_erasure_planned' })
    return standing(tx, erasing)
  })

  mount(keepEvidence, async ({ tx, caller, request, params: { orgId, userId } }) => {
    const erasing = { organizationId: orgId, userId }
    await requirePerson(tx, erasing)
    const gone = await hasRow(
      tx,
      sql`delete from evidence_erasures where organization_id = ${orgId} and user_id = ${userId} and done_at is null returning id`,
    )
    const entry = { organizationId: orgId, entity: 'user', entityId: userId } as const
    if (gone) await audit(tx, { caller, request }, { ...entry, action: 'user.evidence_erasure_cancelled' })
    return standing(tx, erasing)
  })
}

/** Finds a person, locked until the end. Somebody who was removed can still be asked about, until they are erased. */
async function requirePerson(tx: Tx, { organizationId, userId }: PersonKey): Promise<void> {
  const found = await hasRow(
    tx,
    sql`select 1 from users u where u.organization_id = ${organizationId} and u.id = ${userId} and not ${isErased('u')} for update`,
  )
  if (!found) throw refuse('not_found')
}

async function standing(tx: Tx, erasing: PersonKey) {
  const planned = await hasRow(
    tx,
    sql`select 1 from evidence_erasures where organization_id = ${erasing.organizationId} and user_id = ${erasing.userId}
      and done_at is null`,
  )
  return { counts: await countEvidence(tx, erasing), isPlanned: planned }
}

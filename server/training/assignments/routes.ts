import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import * as assignments from '#contract/assignments.ts'
import { rows } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { visibilityOf } from '../../platform/http/visibility.ts'
import { decide, remind } from './decide.ts'
import { planAnew } from './messages.ts'
import { preview } from './preview.ts'
import { namedIn } from '../../transmissions/plan.ts'
import { assignmentsPage, findAssignment, findObligation, obligationsOf, peoplePage } from './queries.ts'
import { remindMany } from './remind-people.ts'
import { act, create, edit } from './save.ts'

const Change = z.object({
  action: z.enum(assignments.obligationChanges),
  reason: z.string(),
  until: z.nullable(z.string()),
  by: z.string(),
  at: z.string(),
})

export function assignmentsRoutes(_app: FastifyInstance, mount: Mount, { keys }: Services): void {
  mount(assignments.listAssignments, ({ tx, params: { orgId }, query, request }) =>
    assignmentsPage(tx, { keys, orgId, query, request }),
  )

  mount(assignments.createAssignment, async ({ tx, caller, request, params: { orgId }, body }) => {
    const assignmentId = await create(tx, { caller, by: { caller, request } }, { orgId, body })
    return findAssignment(tx, keys, { orgId, assignmentId })
  })

  mount(assignments.previewAssignment, ({ tx, params: { orgId }, body }) => preview(tx, { orgId, body }))

  mount(assignments.readAssignment, async ({ tx, params }) => {
    const found = await findAssignment(tx, keys, params)
    return Object.assign(found, { named: await namedIn(tx, params.orgId, found.audience) })
  })

  mount(assignments.editAssignment, async ({ tx, caller, request, params, body }) => {
    await edit(tx, { caller, request }, { ...params, body })
    await planAnew(tx, { id: params.assignmentId, organizationId: params.orgId })
    return findAssignment(tx, keys, params)
  })

  mount(assignments.changeAssignment, async ({ tx, caller, request, params, body }) => {
    await act(tx, { caller, request }, { ...params, ...body })
    return findAssignment(tx, keys, params)
  })

  mount(assignments.listObligations, async ({ tx, params, query, request }) => {
    await findAssignment(tx, keys, params)
    return peoplePage(tx, { ...params, query, request })
  })

  mount(assignments.changeObligation, async ({ tx, caller, request, params, body }) => {
    await decide(tx, { caller, by: { caller, request } }, { ...params, change: body.do })
    return findObligation(tx, params)
  })

  mount(assignments.remindObligation, async ({ tx, caller, request, params }) => {
    await remind(tx, { caller, request }, params)
    return findObligation(tx, params)
  })

  mount(assignments.remindPeople, ({ tx, caller, request, params: { orgId }, body }) =>
    remindMany(tx, { caller, request }, { visibility: visibilityOf(caller, orgId), chosen: body }),
  )

  mount(assignments.readObligationHistory, async ({ tx, params }) => {
    await findObligation(tx, params)
    const items = await rows(
      tx,
      Change,
      sql`select action, reason, ${isoText(sql`until`)} as until, by_name as "by", ${isoText(sql`at`)} as at from obligation_changes
        where organization_id = ${params.orgId} and assignment_id = ${params.assignmentId} and user_id = ${params.userId}
        order by at desc, id desc limit 500`,
    )
    return { items }
  })

  mount(assignments.listOwedBy, async ({ tx, params }) => ({ items: await obligationsOf(tx, params) }))
}

import type { FastifyInstance } from 'fastify'
import { previewAssignment } from '#contract/assignments/assignment-preview.ts'
import * as assignments from '#contract/assignments/assignments.ts'
import { setDueDay } from '#contract/duty/due-day.ts'
import { changeObligations, readObligationHistory } from '#contract/duty/obligations.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { visibilityOf } from '../platform/http/visibility.ts'
import { decideObligation, remind } from './decide.ts'
import { historyOf } from './history.ts'
import { decideMany } from './many.ts'
import { peopleFileRoutes } from './people-file.ts'
import { countWaiting, pathOf } from './path.ts'
import { preview } from './preview.ts'
import { setDue } from '../transmissions/compose/due.ts'
import { namedIn } from '../transmissions/compose/plan.ts'
import { readOne } from '../transmissions/queries.ts'
import { keyOf } from '../transmissions/ledger/states.ts'
import { planMoved } from './anew.ts'
import { assignmentsPage, findAssignment, heldOf } from './queries.ts'
import { findObligation, obligationsOf, peoplePage } from '../duty/owed.ts'
import { remindMany } from './remind-people.ts'
import { act, create, edit } from './save.ts'

export function assignmentsRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  const { db, keys } = services
  peopleFileRoutes(mount, services)

  mount(assignments.listAssignments, ({ tx, params: { orgId }, query, request }) =>
    assignmentsPage(tx, { keys, orgId, query, request }),
  )

  mount(assignments.createAssignment, async ({ tx, caller, request, params: { orgId }, body }) => {
    const assignmentId = await create(tx, { caller, by: { caller, request } }, { orgId, body })
    return findAssignment(tx, keys, { orgId, assignmentId })
  })

  mount(previewAssignment, ({ tx, params: { orgId }, body }) => preview(tx, { orgId, body }))

  mount(assignments.readAssignment, async ({ tx, params }) => {
    const found = await findAssignment(tx, keys, params)
    const named = await namedIn(tx, params.orgId, found.audience)
    return Object.assign(found, {
      named,
      held: await heldOf(tx, params),
      waiting: await countWaiting(tx, found),
      path: await pathOf(tx, params),
    })
  })

  mount(assignments.editAssignment, async ({ tx, caller, request, params, body }) => {
    await edit(tx, { caller, request }, { ...params, body })
    return findAssignment(tx, keys, params)
  })

  mount(assignments.changeAssignment, async ({ tx, caller, request, params, body }) => {
    await act(tx, { caller, request }, { ...params, ...body })
    return findAssignment(tx, keys, params)
  })

  mount(setDueDay, async ({ tx, caller, params, body, request }) => {
    const key = await keyOf(tx, caller, params.transmissionId)
    await setDue(tx, key, { dueAt: body.dueAt, by: { caller, request } })
    await planMoved(tx, key)
    return readOne(tx, { keys, tenant: key.organizationId }, key.id)
  })

  mount(assignments.listObligations, async ({ tx, params, query, request }) => {
    await findAssignment(tx, keys, params)
    return peoplePage(tx, { ...params, query, request })
  })

  mount(assignments.changeObligation, async ({ tx, caller, request, params, body }) => {
    await decideObligation(tx, { caller, by: { caller, request } }, { ...params, change: body.do })
    return findObligation(tx, params)
  })

  mount(assignments.remindObligation, async ({ tx, caller, request, params }) => {
    await remind(tx, { caller, request }, params)
    return findObligation(tx, params)
  })

  mount(assignments.remindPeople, ({ tx, caller, request, params: { orgId }, body }) =>
    remindMany(tx, { caller, request }, { visibility: visibilityOf(caller, orgId), chosen: body }),
  )

  mount(changeObligations, async ({ caller, scope, request, params, body }) =>
    decideMany({ db, scope, by: { caller, by: { caller, request } } }, { ...params, ...body }),
  )

  mount(readObligationHistory, async ({ tx, params }) => {
    await findObligation(tx, params)
    return historyOf(tx, params)
  })

  mount(assignments.listOwedBy, async ({ tx, params }) => ({ items: await obligationsOf(tx, params) }))
}

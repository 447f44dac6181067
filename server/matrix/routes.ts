import type { FastifyInstance } from 'fastify'
import * as training from '#contract/matrix/training.ts'
import * as waivers from '#contract/duty/waivers.ts'
import type { Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { audit } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Mount } from '../platform/http/mount.ts'
import { beginExport } from '../platform/http/lists/list-export.ts'
import type { Services } from '../platform/http/services.ts'
import { visibilityOf } from '../platform/http/visibility.ts'
import { beginOperation, recordOperation } from '../operations/begin.ts'
import { previewOf } from '../operations/preview.ts'
import { applyAll } from '../platform/derived/keys.ts'
import { privacyOf } from '../directory/organizations/privacy.ts'
import { fileTypes, paperFile } from '../documents/files.ts'
import { trainingCells } from './recompute.ts'
import { findCell, requirePlace } from './cell.ts'
import { type CellKey } from '../duty/waivers.ts'
import { exportedTraining } from './export.ts'
import { blockedReasonOf, kindOf } from '../duty/waive-many.ts'
import type { MatrixScope, TrainingFilter } from './grid.ts'
import { endOf } from './past.ts'
import { trainingPage } from './rows.ts'
import { requireCells, selectedCells } from './select.ts'
import { trainingTotals } from './totals.ts'
import { trainingPaper } from './paper.ts'
import { endWaiver, waive, waiverEnd } from '../duty/waivers.ts'
import { called } from '../platform/db/search.ts'

const anything: TrainingFilter = { videos: 'any' }

type MatrixRequest = { caller: Caller; orgId: string; filter?: TrainingFilter }

async function scopeOf(tx: Tx, { caller, orgId, filter = anything }: MatrixRequest): Promise<MatrixScope> {
  const visibility = visibilityOf(caller, orgId)
  const { showsPersons } = await privacyOf(tx, orgId)
  const at = filter.on === undefined ? sql`now()` : await endOf(tx, orgId, filter.on)
  return { visibility, filter, at, shows: showsPersons, readerId: caller.userId }
}

async function placeOf(
  tx: Tx,
  caller: Caller,
  { orgId, ...place }: CellKey & { orgId: string },
): Promise<MatrixScope> {
  const matrixScope = await scopeOf(tx, { caller, orgId })
  await requirePlace(tx, matrixScope, place)
  return matrixScope
}

/** Whoever looks at the console through the eyes of somebody else acts as themselves. */
const actorOf = ({ viewer, userId }: Caller) => viewer?.id ?? userId

export function trainingRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(training.readTraining, async ({ tx, caller, params: { orgId }, query }) =>
    trainingTotals(tx, await scopeOf(tx, { caller, orgId, filter: query })),
  )

  mount(training.listTraining, async ({ tx, caller, params: { orgId }, query, request }) =>
    trainingPage(tx, await scopeOf(tx, { caller, orgId, filter: query }), { query, request }),
  )

  mount(training.exportTraining, async ({ caller, scope, params: { orgId }, query, request }) => {
    if (query.on !== undefined && query.form === 'cells')
      throw refuse('validation_failed', { fields: { form: ['not_a_choice'] } })
    const { name, matrixScope } = await services.db.as(scope, async (tx) => {
      const begun = { caller, request, organizationId: orgId, action: 'training.exported' } as const
      const file = await beginExport(tx, {
        ...begun,
        what: `training-${query.form}${query.on === undefined ? '' : `-of-${query.on}`}`,
        after: query,
      })
      return {
        name: `${file}.${query.format}`,
        matrixScope: await scopeOf(tx, { caller, orgId, filter: query }),
      }
    })
    const cells = { figure: trainingCells, organizationId: orgId, subject: null }
    await services.db.asReport(scope, (tx) => applyAll(tx, cells))
    const { format } = query
    const order = { db: services.db, scope, matrixScope, query }
    const content =
      format === 'csv'
        ? exportedTraining(order)
        : paperFile(format, () => trainingPaper({ ...order, format, by: caller, log: services.log }))
    return { name, type: fileTypes[format], content }
  })

  mount(training.readTrainingCell, async ({ tx, caller, params }) =>
    findCell(tx, await placeOf(tx, caller, params), params),
  )

  mount(training.waiveTraining, async ({ tx, caller, request, params, body }) => {
    const matrixScope = await placeOf(tx, caller, params)
    await waive(tx, { ...params, organizationId: params.orgId, by: caller, body })
    const cell = await findCell(tx, matrixScope, params)
    const after = { video: cell.video.title, reason: body.reason, until: body.until ?? null }
    const entry = { organizationId: params.orgId, entity: 'user', entityId: params.userId, after }
    await audit(tx, { caller, request }, { ...entry, action: 'training.waived' })
    return cell
  })

  mount(waivers.previewWaivers, async ({ tx, caller, params: { orgId }, body }) => {
    const matrixScope = await scopeOf(tx, { caller, orgId })
    await requireCells(tx, matrixScope, body)
    return previewOf(tx, {
      ...selectedCells(matrixScope, body),
      blockedReason: blockedReasonOf(body.action, actorOf(caller)),
      name: sql`u.name || ': ' || v.title`,
    })
  })

  mount(waivers.changeWaivers, async ({ tx, caller, request, params: { orgId }, body }) => {
    const matrixScope = await scopeOf(tx, { caller, orgId })
    await requireCells(tx, matrixScope, body)
    const { reason = null, until: given = null } = body.do.action === 'waive' ? body.do : {}
    const until = await waiverEnd(tx, orgId, given)
    const { from, chosen } = selectedCells(matrixScope, body)
    return beginOperation(
      services,
      { tx, caller, request },
      {
        organizationId: orgId,
        kind: kindOf[body.do.action],
        // The reason is left out, because it may tell of people, with whose rows it is erased.
        params: { subject: null, do: { action: body.do.action } },
        rows: sql`select 'user'::text as entity, u.id as entity_id, null::uuid as group_id, u.name || ': ' || v.title as label,
          jsonb_build_object('videoId', v.id, 'reason', ${reason}::text, 'until', ${until}::text) as input
          from ${from} where ${chosen} order by u.called, u.id, ${called(sql`v.title`)}, v.id`,
      },
    )
  })

  mount(training.endWaiver, async ({ tx, caller, request, params }) => {
    const cell = await findCell(tx, await placeOf(tx, caller, params), params)
    const { id, endedAt, reason } = await endWaiver(tx, cell, caller)
    const at = { organizationId: params.orgId, entity: 'user', entityId: params.userId }
    const before = { video: cell.video.title, reason }
    await audit(tx, { caller, request }, { ...at, action: 'training.waiver_ended', before })
    const operationId = await recordOperation(
      { tx, caller, request },
      {
        organizationId: params.orgId,
        kind: 'waivers.remove',
        entity: 'waiver',
        entityId: id,
        // The entry names the video and nobody, because what is kept of an operation outlives the details of a person.
        label: `Waiver for “${cell.video.title}”`,
        outcome: 'removed',
        before: null,
        after: { endedAt },
      },
    )
    return { operationId }
  })
}

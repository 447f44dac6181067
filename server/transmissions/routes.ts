import type { FastifyInstance } from 'fastify'
import { createDraft, saveDraft } from '#contract/transmissions/drafts.ts'
import { readSending, releaseSending } from '#contract/transmissions/sending.ts'
import { revokeLink } from '#contract/transmissions/links.ts'
import { previewMail, testTransmission } from '#contract/identity/mail-preview.ts'
import {
  countDeliveries,
  listDeliveries,
  resolveDeliveries,
  resolveDelivery,
} from '#contract/transmissions/deliveries.ts'
import {
  changeTransmission,
  createTransmission,
  editTransmission,
  listTransmissions,
  previewAudience,
  readTransmission,
  readTransmissionPlan,
} from '#contract/transmissions/transmissions.ts'
import { readWaves } from '#contract/transmissions/waves.ts'
import { requirePerson, type Caller } from '../platform/http/bearer.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { approversOf, thresholdOf } from './compose/approval.ts'
import { countAudience, countCompleted, requireKnown } from './compose/audience.ts'
import { barredFileRoutes } from './barred/barred-files.ts'
import { barredRoutes } from './barred/barred.ts'
import { barringRoutes } from './barred/barring.ts'
import { liftingRoutes } from './barred/lifting.ts'
import { mailEventRoutes } from './returns/routes.ts'
import { create, requireAccount } from './compose/create.ts'
import { decideTransmission, edit } from './compose/decide.ts'
import { countWatched, listPage as listRecipients, readDelivery } from './recipients/deliveries.ts'
import { deliveryFileRoutes } from './recipients/delivery-files.ts'
import { transmissionBulkRoutes } from './bulk.ts'
import { beginDraft, keepDraft } from './compose/drafts.ts'
import { exportRoutes } from './export.ts'
import { answerHold, readHold } from './ledger/hold.ts'
import { readPlan } from './compose/plan.ts'
import { preflightRoutes } from './compose/preflight.ts'
import { preview, sendTest } from './compose/preview.ts'
import { listPage, readOne, type Tenant } from './queries.ts'
import { templateRoutes } from './compose/templates.ts'
import { resolve, resolveMany } from './recipients/resolve.ts'
import { revokeLinkOf } from './recipients/revoke.ts'
import { act, keyOf, wakeSender } from './ledger/states.ts'
import { wavesOf } from './ledger/waves.ts'
import { openingOf } from './ledger/window.ts'
import { zonesAhead } from './compose/zones.ts'

function tenantOf(caller: Caller): Tenant {
  return caller.organizationId ?? undefined
}

export function transmissionsRoutes(app: FastifyInstance, mount: Mount, services: Services): void {
  const { keys } = services
  mount(listTransmissions, ({ tx, caller, query, request }) =>
    listPage(tx, { keys, tenant: tenantOf(caller), query, request }),
  )
  exportRoutes(mount, services)
  deliveryFileRoutes(mount, services, keyOf)
  transmissionBulkRoutes(mount, services)
  barredRoutes(mount)
  barringRoutes(mount)
  liftingRoutes(mount, services)
  barredFileRoutes(mount, services)
  mailEventRoutes(mount, app, services)
  preflightRoutes(mount)
  templateRoutes(mount)
  mount(createTransmission, async ({ tx, caller, body, request }) => {
    const id = await create(tx, { services, caller, body, by: { caller, request } })
    return readOne(tx, { keys, tenant: body.accountId }, id)
  })
  mount(createDraft, async ({ tx, caller, body, request }) => {
    const id = await beginDraft(tx, { caller, body, by: { caller, request } })
    return readOne(tx, { keys, tenant: body.accountId }, id)
  })
  mount(saveDraft, async ({ tx, caller, params, body, request }) => {
    const key = await keyOf(tx, caller, params.transmissionId)
    await keepDraft(tx, key, { caller, body, by: { caller, request } })
    return readOne(tx, { keys, tenant: key.organizationId }, key.id)
  })
  mount(previewAudience, async ({ tx, caller, body }) => {
    await requireAccount(tx, caller, body.accountId)
    const chosen = { organizationId: body.accountId, audience: body.audience, isDuty: body.isDuty }
    await requireKnown(tx, chosen)
    const count = await countAudience(tx, chosen)
    const above = await thresholdOf(tx, body.accountId)
    const { leavesAt } = body
    const zones = leavesAt?.inOwnZones ? await zonesAhead(tx, chosen, leavesAt) : []
    const completed = body.videoId === undefined ? 0 : await countCompleted(tx, chosen, body.videoId)
    const counts = { ...count, completed, zones, goesOnAt: await openingOf(tx, body.accountId) }
    if (above === null || count.recipients <= above) return { ...counts, approval: null }
    return { ...counts, approval: { above, ...(await approversOf(tx, body.accountId, caller.userId)) } }
  })
  mount(previewMail, ({ tx, caller, body }) => preview(tx, { services, caller, body }))
  mount(testTransmission, ({ tx, caller, body, request }) =>
    sendTest(tx, { services, caller, body, by: { caller, request } }),
  )
  mount(readTransmission, ({ tx, caller, params }) =>
    readOne(tx, { keys, tenant: tenantOf(caller) }, params.transmissionId),
  )
  mount(readTransmissionPlan, async ({ tx, caller, params }) =>
    readPlan(tx, services, await keyOf(tx, caller, params.transmissionId)),
  )
  mount(readWaves, async ({ tx, caller, params }) =>
    wavesOf(tx, await keyOf(tx, caller, params.transmissionId)),
  )
  mount(editTransmission, async ({ tx, caller, params, body, request }) => {
    const key = await keyOf(tx, caller, params.transmissionId)
    await edit(tx, key, { caller, body, by: { caller, request } })
    return readOne(tx, { keys, tenant: key.organizationId }, key.id)
  })
  mount(countDeliveries, async ({ tx, caller, params }) =>
    countWatched(tx, await keyOf(tx, caller, params.transmissionId)),
  )
  mount(listDeliveries, async ({ tx, caller, params, query, request }) =>
    listRecipients(tx, { key: await keyOf(tx, caller, params.transmissionId), query, request }),
  )
  mount(readSending, ({ tx }) => readHold(tx))
  mount(releaseSending, async ({ tx, caller, body, request }) => {
    await answerHold(tx, body.answer, { caller, request })
    return readHold(tx)
  })
  mount(changeTransmission, async ({ tx, caller, params, body, request }) => {
    const key = await keyOf(tx, caller, params.transmissionId)
    const by = { caller, request }
    const { action, version } = body
    // Four eyes are those of two people.
    if (action === 'approve' || action === 'reject') requirePerson(caller)
    if (action === 'pause' || action === 'resume' || action === 'cancel')
      await act(tx, key, { action, version, by })
    else await decideTransmission(tx, key, { ...body, action, services, caller, by })
    await wakeSender(services, tx, key)
    return readOne(tx, { keys, tenant: key.organizationId }, key.id)
  })
  mount(revokeLink, async ({ tx, caller, params, body, request }) => {
    const key = await keyOf(tx, caller, params.transmissionId)
    const { deliveryId } = params
    await revokeLinkOf(tx, key, { deliveryId, reason: body.reason, by: { caller, request } })
    return readDelivery(tx, key, deliveryId)
  })
  mount(resolveDeliveries, async ({ tx, caller, params, body, request }) => {
    const key = await keyOf(tx, caller, params.transmissionId)
    const decided = await resolveMany(tx, key, { ...body, by: { caller, request } })
    await wakeSender(services, tx, key)
    return { decided }
  })
  mount(resolveDelivery, async ({ tx, caller, params, body, request }) => {
    const key = await keyOf(tx, caller, params.transmissionId)
    await resolve(tx, key, {
      deliveryId: params.deliveryId,
      decision: body.decision,
      by: { caller, request },
    })
    await wakeSender(services, tx, key)
    return readDelivery(tx, key, params.deliveryId)
  })
}

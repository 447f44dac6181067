import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { FastifyInstance } from 'fastify'
import { createView, deleteView, listViews, updateView } from '#contract/directory/views.ts'
import { audit } from '../../platform/http/audit.ts'
import type { CallContext } from '../../platform/http/bearer.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { changeView, findView, findViews, insertView, removeView, type StoredView } from './queries.ts'

function note(by: CallContext, action: AuditAction, change: { before?: StoredView; after?: StoredView }) {
  const view = change.after ?? change.before
  const at = { organizationId: view?.organizationId ?? null, entityId: view?.id ?? null }
  return audit(by.tx, by, { ...at, action, entity: 'view', ...change })
}

export function viewsRoutes(_app: FastifyInstance, mount: Mount): void {
  mount(listViews, async ({ tx, caller, query }) => ({ items: await findViews(tx, caller, query) }))

  mount(createView, async ({ body, ...by }) => {
    const after = await insertView(by.tx, by.caller, body)
    await note(by, 'view.created', { after })
    return after
  })

  mount(updateView, async ({ params, body, ...by }) => {
    const before = await findView(by.tx, by.caller, params.viewId)
    const after = await changeView(by.tx, by.caller, { before, input: body })
    await note(by, 'view.changed', { before, after })
    return after
  })

  mount(deleteView, async ({ params, ...by }) => {
    const before = await findView(by.tx, by.caller, params.viewId)
    await removeView(by.tx, before)
    await note(by, 'view.removed', { before })
    return {}
  })
}

import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { FastifyInstance } from 'fastify'
import {
  createField,
  deleteField,
  listFields,
  listRemovedFields,
  orderFields,
  readField,
  restoreField,
  updateField,
  type Field,
} from '#contract/directory/fields.ts'
import { audit } from '../../platform/http/audit.ts'
import type { CallContext } from '../../platform/http/bearer.ts'
import { requireUnchanged, type Mount } from '../../platform/http/mount.ts'
import { findField, findFields } from '../people/fields.ts'
import {
  bringBack,
  changeField,
  findRemoved,
  insertField,
  lockField,
  lockFields,
  putInOrder,
  removeField,
} from './queries.ts'

type AuditedChange = { orgId: string; before?: Field; after?: Field }

/** Notes the change with the label as the name, because the log is searched by name. */
function note(by: CallContext, action: AuditAction, { orgId, ...change }: AuditedChange) {
  const entityId = (change.after ?? change.before)?.id ?? null
  const named = Object.fromEntries(
    Object.entries(change).map(([side, field]) => [side, { name: field.label, ...field }]),
  )
  return audit(by.tx, by, { organizationId: orgId, action, entity: 'field', entityId, ...named })
}

export function fieldsRoutes(_app: FastifyInstance, mount: Mount): void {
  mount(listFields, async ({ tx, params }) => ({ items: await findFields(tx, params.orgId) }))

  mount(listRemovedFields, async ({ tx, params }) => ({ items: await findRemoved(tx, params.orgId) }))

  mount(readField, ({ tx, params }) => findField(tx, params.orgId, params.fieldId))

  mount(createField, async ({ params: { orgId }, body, ...by }) => {
    await lockFields(by.tx, orgId)
    const after = await insertField(by.tx, orgId, body)
    await note(by, 'field.created', { orgId, after })
    return after
  })

  mount(updateField, async ({ params: { orgId, fieldId }, body, ...by }) => {
    const before = await lockField(by.tx, { organizationId: orgId, id: fieldId })
    requireUnchanged(by.request, new Date(before.updatedAt))
    const after = await changeField(by.tx, { organizationId: orgId, before }, body)
    await note(by, 'field.changed', { orgId, before, after })
    return after
  })

  mount(orderFields, async ({ params: { orgId }, body, ...by }) => {
    await lockFields(by.tx, orgId)
    const before = await findFields(by.tx, orgId)
    const items = await putInOrder(by.tx, orgId, body.fieldIds)
    const entry = { organizationId: orgId, action: 'field.ordered' as const, entity: 'field', entityId: null }
    const labels = (fields: readonly Field[]) => ({ fields: fields.map(({ label }) => label).join(', ') })
    await audit(by.tx, by, { ...entry, before: labels(before), after: labels(items) })
    return { items }
  })

  mount(deleteField, async ({ params: { orgId, fieldId }, ...by }) => {
    const before = await lockField(by.tx, { organizationId: orgId, id: fieldId })
    const after = await removeField(by.tx, { organizationId: orgId, before })
    await note(by, 'field.removed', { orgId, before })
    return after
  })

  mount(restoreField, async ({ params: { orgId, fieldId }, ...by }) => {
    await lockFields(by.tx, orgId)
    const before = await lockField(by.tx, { organizationId: orgId, id: fieldId, removed: true })
    const after = await bringBack(by.tx, { organizationId: orgId, before })
    await note(by, 'field.restored', { orgId, after })
    return after
  })
}

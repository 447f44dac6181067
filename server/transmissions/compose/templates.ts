import type { AuditAction } from '#contract/platform/audit-actions.ts'
import {
  createTemplate,
  deleteTemplate,
  ListedTemplate,
  listTemplates,
  mostTemplates,
  readTemplate,
  Template,
  updateTemplate,
  type TemplateInput,
} from '#contract/transmissions/templates.ts'
import { requireVariables } from '../../directory/people/variables.ts'
import { hasRow, requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { readCount } from '../../platform/db/rows.ts'
import { called, isoText } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { CallContext } from '../../platform/http/bearer.ts'
import { requireUnchanged, type Mount } from '../../platform/http/mount.ts'

const storedColumns = sql`t.id, t.name, t.subject, ${isoText(sql`t.created_at`)} as "createdAt", ${isoText(sql`t.updated_at`)} as "updatedAt"`
const columns = sql`${storedColumns}, t.message`

type Place = { orgId: string; templateId: string }

const find = (tx: Tx, { orgId, templateId }: Place, lock: SQL = sql``): Promise<Template> =>
  requireRow(
    tx,
    Template,
    sql`select ${columns} from message_templates t where t.id = ${templateId} and t.organization_id = ${orgId} ${lock}`,
  )
const forUpdate = sql`for update`

function findAll(tx: Tx, orgId: string): Promise<ListedTemplate[]> {
  return rows(
    tx,
    ListedTemplate,
    sql`select ${storedColumns}, left(t.message, 200) as beginning from message_templates t
      where t.organization_id = ${orgId} order by ${called(sql`t.name`)}, t.id`,
  )
}

/** Holds the organization while it counts, so that two people who add a template at once cannot both take the last place. */
async function requireRoom(tx: Tx, orgId: string): Promise<void> {
  const isThere = await hasRow(
    tx,
    sql`select 1 from organizations where id = ${orgId} and deleted_at is null for no key update`,
  )
  if (!isThere) throw refuse('not_found')
  const n = await readCount(
    tx,
    sql`select count(*)::int as n from message_templates where organization_id = ${orgId}`,
  )
  if (n >= mostTemplates)
    throw refuse('conflict', { reason: { code: 'too_many_templates', params: { most: mostTemplates } } })
}

const requireWords = (tx: Tx, orgId: string, { subject, message }: TemplateInput) =>
  requireVariables(tx, orgId, { subject, message })

type TemplateChange = { orgId: string; before?: Template; after?: Template }

function note(by: CallContext, action: AuditAction, { orgId, ...change }: TemplateChange) {
  const entityId = (change.after ?? change.before)?.id ?? null
  return audit(by.tx, by, { organizationId: orgId, action, entity: 'message_template', entityId, ...change })
}

export function templateRoutes(mount: Mount): void {
  mount(listTemplates, async ({ tx, params }) => ({ items: await findAll(tx, params.orgId) }))

  mount(readTemplate, ({ tx, params }) => find(tx, params))

  mount(createTemplate, async ({ params: { orgId }, body, ...by }) => {
    const { tx } = by
    await requireWords(tx, orgId, body)
    await requireRoom(tx, orgId)
    const after = await requireRow(
      tx,
      Template,
      sql`insert into message_templates as t (organization_id, name, subject, message)
        values (${orgId}, ${body.name}, ${body.subject}, ${body.message}) returning ${columns}`,
    )
    await note(by, 'template.created', { orgId, after })
    return after
  })

  mount(updateTemplate, async ({ params, body, ...by }) => {
    const { tx } = by
    const { orgId, templateId } = params
    const before = await find(tx, params, forUpdate)
    requireUnchanged(by.request, new Date(before.updatedAt))
    await requireWords(tx, orgId, body)
    const after = await requireRow(
      tx,
      Template,
      sql`update message_templates t set name = ${body.name}, subject = ${body.subject}, message = ${body.message}, updated_at = now()
        where t.id = ${templateId} and t.organization_id = ${orgId} returning ${columns}`,
    )
    await note(by, 'template.changed', { orgId, before, after })
    return after
  })

  mount(deleteTemplate, async ({ params, ...by }) => {
    const { orgId, templateId } = params
    const before = await find(by.tx, params, forUpdate)
    await by.tx.execute(
      sql`delete from message_templates where id = ${templateId} and organization_id = ${orgId}`,
    )
    await note(by, 'template.removed', { orgId, before })
    return {}
  })
}

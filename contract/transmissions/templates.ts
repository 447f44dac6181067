import * as z from 'zod/mini'
import { endpoint, Id, Instant, Nothing, only, requiredText, requiredLines } from '../endpoint.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'

/** One organization has at most this number of templates. */
export const mostTemplates = 200

const Subject = z.string().check(z.trim(), z.maxLength(200, 'too_long'))

export const TemplateInput = z.object({
  name: requiredText(100),
  /** Empty means the usual subject. */
  subject: z._default(Subject, ''),
  message: requiredLines(20_000),
})
export type TemplateInput = z.infer<typeof TemplateInput>

export const Template = z.object({
  id: Id,
  name: z.string(),
  subject: z.string(),
  message: z.string(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Template = z.infer<typeof Template>

/** In the list a template has only the beginning of its message. */
export const ListedTemplate = z.extend(z.omit(Template, { message: true }), { beginning: z.string() })
export type ListedTemplate = z.infer<typeof ListedTemplate>

export const listTemplates = endpoint({
  name: 'listTemplates',
  method: 'GET',
  path: '/organizations/:orgId/message-templates',
  summary: 'The templates of an organization for messages, by name',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  reply: z.object({ items: z.array(ListedTemplate) }),
  cacheSeconds: 5,
})

export const createTemplate = endpoint({
  name: 'createTemplate',
  method: 'POST',
  path: '/organizations/:orgId/message-templates',
  summary: `Keep a message as a template, under a name that no other has; an organization has ${mostTemplates} at most`,
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: TemplateInput,
  reply: Template,
  status: 201,
  idempotent: true,
})

const TemplateParams = z.object({ orgId: Id, templateId: Id })

export const readTemplate = endpoint({
  name: 'readTemplate',
  method: 'GET',
  path: '/organizations/:orgId/message-templates/:templateId',
  summary: 'One template with its whole message',
  access: only(adminRoles, 'send'),
  params: TemplateParams,
  reply: Template,
  cacheSeconds: 5,
})

export const updateTemplate = endpoint({
  name: 'updateTemplate',
  method: 'PUT',
  path: '/organizations/:orgId/message-templates/:templateId',
  summary: 'Change a template, unless somebody else has meanwhile; what was written with it stays as it is',
  access: only(adminRoles, 'send'),
  params: TemplateParams,
  body: TemplateInput,
  reply: Template,
  ifMatch: true,
})

export const deleteTemplate = endpoint({
  name: 'deleteTemplate',
  method: 'DELETE',
  path: '/organizations/:orgId/message-templates/:templateId',
  summary: 'Remove a template; what was written with it stays as it is',
  access: only(adminRoles, 'send'),
  params: TemplateParams,
  reply: Nothing,
})

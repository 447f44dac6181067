import * as z from 'zod/mini'
import {
  endpoint,
  FileReply,
  Id,
  Instant,
  only,
  page,
  PageQuery,
  requiredText,
  asItComes,
} from '../endpoint.ts'
import { fieldTypes } from '../directory/fields.ts'
import { operationStates, rowOutcomes } from '../operations.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'

/** What one file may hold. */
export const importLimits = { characters: 30_000_000, rows: 200_000, columns: 100 } as const

export const delimiters = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]

/** What a column may be, in the order in which people look for it; a field of the organization's own is `field:` and its key. */
export const importTargets = {
  name: 'Name',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  phone: 'Phone',
  externalId: 'External ID',
  language: 'Language',
  timeZone: 'Time zone',
  manager: 'Manager',
  role: 'Role',
  state: 'State',
  groups: 'Groups',
} as const
export type ImportTarget = keyof typeof importTargets | `field:${string}`

const Target = z
  .string()
  .check(z.regex(new RegExp(`^(?:${Object.keys(importTargets).join('|')}|field:.{1,60})$`), 'invalid'))

/** Column of the file (its index as text) to what it is; a column without an entry is left out. */
export const ImportMapping = z.record(z.string().check(z.regex(/^\d{1,2}$/, 'invalid')), Target)
export type ImportMapping = z.infer<typeof ImportMapping>

export const ImportOptions = z.object({
  /** By what a row finds the person who is there already. `either`: the external id first, then the email. */
  matchBy: z._default(z.enum(['externalId', 'email', 'either']), 'either'),
  existing: z._default(z.enum(['update', 'skip']), 'update'),
  /** What an empty cell says: nothing, or that there is no such value any more. Names, emails and groups are never cleared. */
  emptyCells: z._default(z.enum(['keep', 'clear']), 'keep'),
  createGroups: z._default(z.boolean(), false),
  /** With which sign numbers have their decimals; null: a number that could be read in two ways is not taken, and that is said. */
  decimalSign: z._default(z.nullable(z.enum([',', '.'])), null),
  /** What comes first in dates such as 03/04/2026; null: such a date is not taken, and that is said. */
  dateOrder: z._default(z.nullable(z.enum(['day', 'month'])), null),
  /** Rows about somebody who was removed: they wait until that person is brought back, or add somebody new. */
  removed: z._default(z.enum(['ask', 'add']), 'ask'),
  /** Of new people without a role in the file. */
  role: z._default(z.nullable(z.enum(['admin', 'groupadmin'])), null),
  /** Whether new people with a role get their invitation by mail now. */
  invite: z._default(z.boolean(), false),
})
export type ImportOptions = z.infer<typeof ImportOptions>

export const Import = z.object({
  /** Of the import, which is an operation of kind `users.import`: progress, cancelling and undoing are there. */
  id: Id,
  fileName: z.string(),
  delimiter: z.enum(delimiters),
  header: z.array(z.string()),
  /** The first rows, as many cells each as the header has. */
  sample: z.array(z.array(z.string())),
  mapping: ImportMapping,
  options: ImportOptions,
  /** Fields of the organization's own that a column may be. */
  fields: z.array(z.object({ key: z.string(), label: z.string(), type: z.enum(fieldTypes) })),
  state: z.enum(operationStates),
  total: z.number(),
  /** Rows with fewer or more cells than the header, and the first of them as a spreadsheet numbers them. */
  ragged: z.object({ count: z.number(), rows: z.array(z.number()) }),
  /** Rows that the rehearsal has looked at; it is complete with `total`. */
  rehearsed: z.number(),
  /** Outcome to rows: of the rehearsal, and once it has begun of the import itself. */
  counts: z.partialRecord(z.enum(rowOutcomes), z.number()),
  /** Rows that are imported without one of their cells, which cannot be what it is to be. */
  warned: z.number(),
  /** Rows that are not imported as long as somebody who was removed is not brought back. */
  removed: z.number(),
  /** New people with a role, as the rehearsal found: each is a mail if invitations are chosen. */
  withRole: z.number(),
  /** Groups that rows name and that are not there, as the rehearsal found, by name; 100 of them at most. */
  missingGroups: z.array(z.string()),
  createdAt: Instant,
})
export type Import = z.infer<typeof Import>

export const ImportParams = z.object({ orgId: Id, importId: Id })

export const createImport = endpoint({
  name: 'createImport',
  method: 'POST',
  path: '/organizations/:orgId/imports',
  summary: 'Upload a CSV file of people; nothing is changed until the import is started',
  access: only(adminRoles, 'people:write'),
  params: OrgParams,
  body: z.object({
    fileName: requiredText(200),
    content: z
      .string()
      .check(z.minLength(1, 'required'), z.maxLength(importLimits.characters, 'too_long'), asItComes),
    /** Guessed when left out. */
    delimiter: z.optional(z.enum(delimiters)),
  }),
  bodyBytes: 64 * 1024 * 1024,
  reply: Import,
  status: 201,
  idempotent: true,
})

export const readImport = endpoint({
  name: 'readImport',
  method: 'GET',
  path: '/organizations/:orgId/imports/:importId',
  summary: 'An import with its columns, its mapping and what the rehearsal has found',
  access: only(adminRoles, 'people:read'),
  params: ImportParams,
  reply: Import,
  cacheSeconds: 1,
})

export const updateImport = endpoint({
  name: 'updateImport',
  method: 'PUT',
  path: '/organizations/:orgId/imports/:importId',
  summary: 'Set what the columns of the file are, and the options; the rehearsal begins anew',
  access: only(adminRoles, 'people:write'),
  params: ImportParams,
  body: z.object({ mapping: ImportMapping, options: ImportOptions }),
  reply: Import,
})

export const rehearseImport = endpoint({
  name: 'rehearseImport',
  method: 'POST',
  path: '/organizations/:orgId/imports/:importId/rehearsal',
  summary: 'Look at the next rows without changing anything; repeat until `rehearsed` is `total`',
  access: only(adminRoles, 'people:write'),
  params: ImportParams,
  reply: Import,
})

export const restoreForImport = endpoint({
  name: 'restoreForImport',
  method: 'POST',
  path: '/organizations/:orgId/imports/:importId/restore',
  summary:
    'Bring back the removed people whom rows of the rehearsal are about, with what they have completed; the rehearsal begins anew',
  access: only(adminRoles, 'people:write'),
  params: ImportParams,
  reply: Import,
})

export const startImport = endpoint({
  name: 'startImport',
  method: 'POST',
  path: '/organizations/:orgId/imports/:importId/start',
  summary: 'Import what the rehearsal has shown; every row is judged once more when its turn comes',
  access: only(adminRoles, 'people:write'),
  params: ImportParams,
  reply: Import,
})

/** `before` and `after` are null where there is no value. */
export const ImportChange = z.object({
  field: z.string(),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
})
export type ImportChange = z.infer<typeof ImportChange>

export const ImportRow = z.object({
  /** As a spreadsheet numbers it: the header is row 1. */
  row: z.number(),
  userId: z.nullable(Id),
  label: z.string(),
  outcome: z.enum(rowOutcomes),
  /** In words; null where there is nothing to say. */
  reason: z.nullable(z.string()),
  changes: z.array(ImportChange),
})
export type ImportRow = z.infer<typeof ImportRow>

export const listImportRows = endpoint({
  name: 'listImportRows',
  method: 'GET',
  path: '/organizations/:orgId/imports/:importId/rows',
  summary: 'What the rehearsal says about each row, or after the start what has become of it',
  access: only(adminRoles, 'people:read'),
  params: ImportParams,
  query: z.extend(PageQuery, { outcome: z.optional(z.enum(rowOutcomes)) }),
  reply: page(ImportRow),
  cacheSeconds: 1,
})

export const exportImportRows = endpoint({
  name: 'exportImportRows',
  method: 'GET',
  path: '/organizations/:orgId/imports/:importId/rows.csv',
  summary:
    'Rows of an import as they were in the file, with what is wrong in a further column; without an outcome, those of which something is not imported',
  access: only(adminRoles, 'people:read'),
  params: ImportParams,
  query: z.object({ outcome: z.optional(z.enum(rowOutcomes)) }),
  reply: FileReply,
})

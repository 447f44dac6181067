import * as z from 'zod/mini'
import { alertsOf } from './platform/alerts.ts'
import { endpoint, Id, Instant, only, page, PageQuery } from './endpoint.ts'
import { everyRole } from './roles.ts'

/** Everything that changes many things at once or can be taken back. */
export const operationKinds = [
  'users.import',
  'users.change',
  'users.remove',
  'users.add_to_group',
  'users.remove_from_group',
  'users.invite',
  'groups.remove',
  'waivers.remove',
  'waivers.give',
  'waivers.end',
  'organizations.change',
  'organizations.remove',
  'videos.change',
  'videos.move',
  'videos.tag',
  'videos.untag',
  'videos.remove',
  'captions.remove',
  'transmissions.cancel',
  'barred_addresses.lift',
] as const
export type OperationKind = (typeof operationKinds)[number]

/**
 * `draft`: a file that nobody has started yet. `cancelling` and `undoing` end by themselves. `undone`: as far as possible,
 * which the counts tell.
 */
export const operationStates = [
  'draft',
  'queued',
  'running',
  'cancelling',
  'cancelled',
  'done',
  'failed',
  'undoing',
  'undone',
] as const
export type OperationState = (typeof operationStates)[number]

export const rowOutcomes = [
  'created',
  'changed',
  'removed',
  'unchanged',
  'skipped',
  'conflict',
  'failed',
] as const
export type RowOutcome = (typeof rowOutcomes)[number]

/** `changed_since`: somebody has changed it in between, and that stays. `impossible`: the reason says why. */
export const undoOutcomes = ['undone', 'changed_since', 'impossible'] as const
export type UndoOutcome = (typeof undoOutcomes)[number]

/**
 * Why a row has stayed as it is, could not be changed, or could not be taken back. The page has words for each of them;
 * kinds whose rows come from outside may say more.
 */
export const rowReasons = [
  'gone',
  'not_allowed',
  'yourself',
  'above_role',
  'break_glass',
  'already_active',
  'already_disabled',
  'not_accepted',
  'already_member',
  'not_member',
  'by_rule',
  'group_gone',
  'rule_group',
  'asked_by_rule',
  'recipient',
  'disabled',
  'accepted',
  'invited_too_often',
  'invitation_left',
  'already_suspended',
  'already_archived',
  'organization_off',
  'email_taken',
  'external_id_taken',
  'name_taken',
  'waived_again',
  'already_waived',
  'not_waived',
  'already_done',
  'being_sent',
  'already_there',
  'already_so',
  'tagged_already',
  'not_tagged',
  'too_many_tags',
  'project_gone',
  'upload_gone',
  'already_sent',
  'already_cancelled',
  'given_up',
  'list_made',
  'at_work',
  'not_undoable',
  'keeps_nothing',
  'erased',
  'changed_since',
  'unexpected',
] as const
export type RowReason = (typeof rowReasons)[number]

/** What a list of operations can be filtered by: each stands for several kinds. */
export const operationAbouts = ['removed', 'changed', 'imported'] as const
export type OperationAbout = (typeof operationAbouts)[number]

export const aboutOf: Record<OperationKind, OperationAbout> = {
  'users.import': 'imported',
  'users.change': 'changed',
  'users.remove': 'removed',
  'users.add_to_group': 'changed',
  'users.remove_from_group': 'removed',
  'users.invite': 'changed',
  'groups.remove': 'removed',
  'waivers.remove': 'removed',
  'waivers.give': 'changed',
  'waivers.end': 'changed',
  'organizations.change': 'changed',
  'organizations.remove': 'removed',
  'videos.change': 'changed',
  'videos.move': 'changed',
  'videos.tag': 'changed',
  'videos.untag': 'changed',
  'videos.remove': 'removed',
  'captions.remove': 'removed',
  'transmissions.cancel': 'changed',
  'barred_addresses.lift': 'removed',
}

/** Days in which something can be taken back. */
export const undoDays = 30

/** The states in which an action is possible. */
export const operationActions = {
  cancel: ['draft', 'queued', 'running'],
  undo: ['done', 'cancelled', 'failed'],
} as const satisfies Record<string, readonly OperationState[]>

export const Operation = z.object({
  id: Id,
  /** Null: about organizations themselves. */
  organizationId: z.nullable(Id),
  organizationName: z.nullable(z.string()),
  kind: z.enum(operationKinds),
  state: z.enum(operationStates),
  /** What it is about, in words: the name of the one thing, or of the group or the file. */
  subject: z.nullable(z.string()),
  /** What its things become, where that is one word: the state of people or organizations, who may watch a video. */
  becomes: z.nullable(z.string()),
  total: z.number(),
  done: z.number(),
  counts: z.partialRecord(z.enum(rowOutcomes), z.number()),
  undoCounts: z.partialRecord(z.enum(undoOutcomes), z.number()),
  error: z.nullable(z.string()),
  /** `key`: the name of the key that began it, for which this person answers; null where it was none. */
  createdBy: z.object({ id: z.nullable(Id), name: z.string(), key: z.nullable(z.string()) }),
  createdAt: Instant,
  startedAt: z.nullable(Instant),
  finishedAt: z.nullable(Instant),
  /** Until when it can be taken back; null when it cannot, or not any more. */
  undoUntil: z.nullable(Instant),
  undoneAt: z.nullable(Instant),
  undoneBy: z.nullable(z.string()),
  updatedAt: Instant,
})
export type Operation = z.infer<typeof Operation>

export const OperationParams = z.object({ operationId: Id })

/** Which operations of those that the caller may see. */
export const OperationFilter = z.object({
  organizationId: z.optional(Id),
  kind: z.optional(z.enum(operationKinds)),
  about: z.optional(z.enum(operationAbouts)),
  /** `undoable`: what can still be taken back. `working`: what is on its way. */
  show: z._default(z.enum(['all', 'undoable', 'working']), 'all'),
  attention: z.optional(z.enum(alertsOf.operations)),
})
export type OperationFilter = z.infer<typeof OperationFilter>

export const listOperations = endpoint({
  name: 'listOperations',
  method: 'GET',
  path: '/operations',
  summary: 'What was changed in bulk, imported or removed, newest first; a groupadmin sees their own',
  access: only(everyRole, 'people:read'),
  query: z.extend(PageQuery, OperationFilter.shape),
  reply: page(Operation),
  cacheSeconds: 2,
})

export const readOperation = endpoint({
  name: 'readOperation',
  method: 'GET',
  path: '/operations/:operationId',
  summary: 'One operation with its progress',
  access: only(everyRole, 'people:read'),
  params: OperationParams,
  reply: Operation,
  cacheSeconds: 1,
})

export const OperationRow = z.object({
  position: z.number(),
  entity: z.enum([
    'user',
    'group',
    'organization',
    'member',
    'waiver',
    'video',
    'transmission',
    'barred_address',
  ]),
  entityId: z.nullable(Id),
  label: z.string(),
  outcome: z.nullable(z.enum(rowOutcomes)),
  /** One of `rowReasons`, or of the reasons of an import. */
  reason: z.nullable(z.string()),
  undo: z.nullable(z.enum(undoOutcomes)),
})
export type OperationRow = z.infer<typeof OperationRow>

export const listOperationRows = endpoint({
  name: 'listOperationRows',
  method: 'GET',
  path: '/operations/:operationId/rows',
  summary: 'What has become of each row of an operation, in their order',
  access: only(everyRole, 'people:read'),
  params: OperationParams,
  query: z.extend(PageQuery, {
    outcome: z.optional(z.enum(rowOutcomes)),
    undo: z.optional(z.enum(undoOutcomes)),
  }),
  reply: page(OperationRow),
  cacheSeconds: 2,
})

export const cancelOperation = endpoint({
  name: 'cancelOperation',
  method: 'POST',
  path: '/operations/:operationId/cancel',
  summary:
    'Stop an operation after the chunk that it is working on; what has been done stays and can be undone',
  access: only(everyRole, 'person'),
  params: OperationParams,
  reply: Operation,
})

export const undoOperation = endpoint({
  name: 'undoOperation',
  method: 'POST',
  path: '/operations/:operationId/undo',
  summary: 'Undo an operation, except for what somebody has changed since',
  access: only(everyRole, 'person'),
  params: OperationParams,
  reply: Operation,
})

import * as z from 'zod/mini'
import { FileFormat } from '../platform/file-formats.ts'
import { BulkPreview, selectionBy } from '../directory/bulk.ts'
import { endpoint, FileReply, Id, only } from '../endpoint.ts'
import { Operation, OperationFilter, type RowReason } from '../operations.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles, everyRole } from '../roles.ts'
import {
  TransmissionFilter,
  transmissionSorts,
  transmissionStates,
  type TransmissionState,
} from '../transmissions/transmissions.ts'
import { listUsers } from '../directory/users.ts'
import { Tag } from './tags.ts'
import { FoundVideos, videoPrivacies, videoSorts } from './videos.ts'

/** What can be done with many videos at once. */
export const VideoAction = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('remove') }),
  /** Null: out of every project. */
  z.strictObject({ action: z.literal('move'), projectId: z.nullable(Id) }),
  /** Who may watch. */
  z.strictObject({ action: z.literal('change'), privacy: z.enum(videoPrivacies) }),
  z.strictObject({ action: z.literal('tag'), tag: Tag }),
  /** Takes the tag from them. */
  z.strictObject({ action: z.literal('untag'), tag: Tag }),
])
export type VideoAction = z.infer<typeof VideoAction>

/**
 * What can be done with many transmissions at once. Approving is not among it: each approval is for a number of people that the
 * approver was shown.
 */
export const TransmissionBulkAction = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('cancel') }),
])
export type TransmissionBulkAction = z.infer<typeof TransmissionBulkAction>

/**
 * Why a change in bulk leaves a transmission of this state as it is; null where it cancels it. What is being sent is stopped one by
 * one: somebody has to see how many have it already.
 */
export const cancellingInBulk = {
  draft: null,
  pending_approval: null,
  scheduled: null,
  held: null,
  preparing: 'being_sent',
  sending: 'being_sent',
  paused: 'being_sent',
  completed: 'already_sent',
  cancelled: 'already_cancelled',
  failed: 'given_up',
} as const satisfies Record<TransmissionState, RowReason | null>

/** Those that a change in bulk cancels. */
export const cancellableInBulk = transmissionStates.filter((state) => cancellingInBulk[state] === null)

export const VideoSelection = selectionBy(FoundVideos)
export type VideoSelection = z.infer<typeof VideoSelection>
export const TransmissionSelection = selectionBy(TransmissionFilter)
export type TransmissionSelection = z.infer<typeof TransmissionSelection>
export const OperationSelection = selectionBy(OperationFilter)
export type OperationSelection = z.infer<typeof OperationSelection>

export const VideoBulk = z.object({ selection: VideoSelection, do: VideoAction })
export const TransmissionBulk = z.object({ selection: TransmissionSelection, do: TransmissionBulkAction })

export const changeVideos = endpoint({
  name: 'changeVideos',
  method: 'POST',
  path: '/organizations/:orgId/videos/bulk',
  summary: 'Change or remove many videos at once',
  access: only(adminRoles, 'content:write'),
  params: OrgParams,
  body: VideoBulk,
  reply: Operation,
  status: 202,
  idempotent: true,
})

export const previewVideos = endpoint({
  name: 'previewVideos',
  method: 'POST',
  path: '/organizations/:orgId/videos/bulk/preview',
  summary: 'How many of the videos would change, and why the others would not',
  access: only(adminRoles, 'content:write'),
  params: OrgParams,
  body: VideoBulk,
  reply: BulkPreview,
})

export const changeTransmissions = endpoint({
  name: 'changeTransmissions',
  method: 'POST',
  path: '/organizations/:orgId/transmissions/bulk',
  summary: 'Cancel many transmissions of which nothing is being sent yet',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: TransmissionBulk,
  reply: Operation,
  status: 202,
  idempotent: true,
})

export const previewTransmissions = endpoint({
  name: 'previewTransmissions',
  method: 'POST',
  path: '/organizations/:orgId/transmissions/bulk/preview',
  summary: 'How many of the transmissions would be cancelled, and why the others would not',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: TransmissionBulk,
  reply: BulkPreview,
})

export const OperationsBulk = z.object({
  selection: OperationSelection,
  /** `undo`: take them back. `delete`: never again; the files of removed videos go at once. */
  action: z.enum(['undo', 'delete']),
})
export type OperationsAction = z.infer<typeof OperationsBulk>['action']

export const changeOperations = endpoint({
  name: 'changeOperations',
  method: 'POST',
  path: '/operations/bulk',
  summary: 'Undo many operations, or give up undoing them for good; a groupadmin only their own',
  access: only(everyRole, 'person'),
  body: OperationsBulk,
  /** What has happened. */
  reply: BulkPreview,
  idempotent: true,
})

export const previewOperations = endpoint({
  name: 'previewOperations',
  method: 'POST',
  path: '/operations/bulk/preview',
  summary: 'How many of the operations would be undone or closed, and why the others would not',
  access: only(everyRole, 'person'),
  body: OperationsBulk,
  reply: BulkPreview,
})

const some = {
  /** Only these of them. */
  ids: z.optional(z.array(Id).check(z.minLength(1, 'required'), z.maxLength(1_000, 'too_long'))),
  /** All but these. */
  exceptIds: z._default(z.array(Id).check(z.maxLength(1_000, 'too_long')), []),
}

export const exportVideos = endpoint({
  name: 'exportVideos',
  method: 'POST',
  path: '/videos/export',
  summary: 'The list of videos, or those picked from it, as a file in the order of the list',
  access: only(adminRoles, 'content:read'),
  body: z.object({
    filter: FoundVideos,
    ...some,
    sort: z._default(z.enum(videoSorts), '-createdAt'),
    format: FileFormat,
  }),
  ownTransactions: true,
  // It reads, and only asks by POST because ids of many things are no part of an address.
  whileImpersonating: true,
  reply: FileReply,
})

export const exportTransmissions = endpoint({
  name: 'exportTransmissions',
  method: 'POST',
  path: '/transmissions/export',
  summary: 'The list of transmissions, or those picked from it, as a file in the order of the list',
  access: only(adminRoles, 'evidence:read'),
  body: z.object({
    filter: TransmissionFilter,
    ...some,
    sort: z._default(z.enum(transmissionSorts), '-createdAt'),
    format: FileFormat,
  }),
  ownTransactions: true,
  whileImpersonating: true,
  reply: FileReply,
})

export const exportUsers = endpoint({
  name: 'exportUsers',
  method: 'GET',
  path: '/organizations/:orgId/users/export',
  summary: 'The list of people, filtered and sorted alike, as a file; as CSV one that the import understands',
  access: only(everyRole, 'people:read'),
  params: OrgParams,
  query: z.extend(z.omit(listUsers.query, { offset: true, limit: true, after: true, before: true }), {
    format: FileFormat,
  }),
  ownTransactions: true,
  reply: FileReply,
})

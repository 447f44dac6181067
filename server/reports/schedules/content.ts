import type { FileFormat } from '#contract/platform/file-formats.ts'
import { reports, type ReportFileQuery } from '#contract/reports/report-files.ts'
import type { ReportName } from '#contract/reports/report-heads.ts'
import {
  mayRead,
  mostAttachedBytes,
  type PauseReason,
  type ScheduledView,
} from '#contract/reports/report-schedules.ts'
import { Refusal, refuse } from '../../platform/errors.ts'
import { fieldsOf } from '../../platform/http/faults.ts'
import type { Services } from '../../platform/http/services.ts'
import type { Attachment } from '../../platform/jobs/smtp.ts'
import { fileOf } from '../files.ts'
import { giveTime, scopeOf, type ReportScope } from '../scope.ts'
import { faceOf } from '../papers.ts'
import type { Span } from '../span.ts'
import { scopeOfOwner, type ScheduleOwner } from './owner.ts'

export type ReportChoice = {
  /** Whose figures; null: all organizations together. */
  organizationId: string | null
  report: ReportName
  view: ScheduledView
  formats: readonly FileFormat[]
  /** Whose days are counted. */
  timeZone: string
}

export type Content = {
  scope: ReportScope
  /** What the page of the report says above its table. */
  face: Awaited<ReturnType<typeof faceOf>>
  attachments: Attachment[]
  /** What was too large to be attached. */
  leftOut: FileFormat[]
}

/** What a report is asked for by a view and some days; refuses what it does not know. */
export function queryOf(report: ReportName, view: ScheduledView, span: Span): ReportFileQuery<ReportName> {
  const parsed = reports[report].file.query.safeParse({ ...view, ...span })
  if (!parsed.success) throw refuse('validation_failed', { fields: fieldsOf(parsed.error) })
  const { format: _perFile, ...query } = parsed.data
  return query
}

/** Works out a report as its owner would see it now; or why they do not. */
export async function contentOf(
  { db, log, owner }: Pick<Services, 'db' | 'log'> & { owner: ScheduleOwner | undefined },
  { organizationId, report, view, formats, timeZone }: ReportChoice,
  span: Span,
): Promise<Content | PauseReason> {
  if (!owner || !mayRead(report, owner.role)) return 'no_access'
  const scope = scopeOfOwner(owner)
  const query = { ...queryOf(report, view, span), timeZone }
  try {
    const found = await db.asReport(scope, async (tx) => {
      const scope: ReportScope = { ...(await scopeOf(tx, owner, query)), isForGood: true }
      if ((scope.organization?.id ?? null) !== organizationId) throw refuse('not_found')
      await giveTime(tx)
      return { scope, face: await faceOf(tx, report, { scope, query, by: owner }) }
    })
    const reader = { db, log, scope, caller: owner }
    return { ...found, ...(await attach(formats, (format) => fileOf(reader, { report, format, query }))) }
  } catch (error) {
    if (error instanceof Refusal && error.fault.code === 'not_found') return 'not_in_sight'
    if (error instanceof Refusal && error.fault.code === 'forbidden') return 'no_access'
    throw error
  }
}

type File = Awaited<ReturnType<typeof fileOf>>

/** Files in the order in which they were asked for, as long as there is room for them in one mail. */
async function attach(formats: readonly FileFormat[], make: (format: FileFormat) => Promise<File>) {
  const attachments: Attachment[] = []
  const leftOut: FileFormat[] = []
  let room = mostAttachedBytes
  for (const format of formats) {
    const { name, type, content } = await make(format)
    const bytes = await collect(content, room)
    if (bytes) attachments.push({ name, type, content: bytes })
    else leftOut.push(format)
    room -= bytes?.length ?? 0
  }
  return { attachments, leftOut }
}

/** Undefined as soon as there is more of it than `most` bytes; the rest is then never made. */
async function collect(content: File['content'], most: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of content) {
    const bytes = Buffer.from(part)
    size += bytes.length
    if (size > most) return undefined
    parts.push(bytes)
  }
  return Buffer.concat(parts)
}

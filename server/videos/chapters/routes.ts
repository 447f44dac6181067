import type { ParsedBody } from '#contract/endpoint.ts'
import type { FieldProblem } from '#contract/problems.ts'
import { chapterFaults, chaptersIn, faultsOf, type ChapterFault } from '#contract/videos/chapter-text.ts'
import { readChapters, saveChapters, type Chapters } from '#contract/videos/chapters.ts'
import type { KeptChapter } from '#contract/videos/shown-chapters.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import { requireUnchanged, type Mount } from '../../platform/http/mount.ts'
import { lockVideo } from '../queries.ts'
import { findChapters, storeChapters } from './queries.ts'

export function chapterRoutes(mount: Mount): void {
  mount(readChapters, ({ tx, params }) => chaptersOf(tx, params.videoId))

  mount(saveChapters, async ({ tx, params: { videoId }, body, caller, request }) => {
    const { organizationId } = await lockVideo(tx, videoId)
    const before = await chaptersOf(tx, videoId)
    requireUnchanged(request, new Date(before.updatedAt))
    const chapters = chaptersSent(body, before.durationMs)
    await storeChapters(tx, before.versionId, chapters)
    const entry = { organizationId, action: 'video.chapters', entity: 'video', entityId: videoId } as const
    const told = (list: readonly KeptChapter[]) => ({ chapters: list.map(({ title }) => title) })
    await audit(tx, { caller, request }, { ...entry, before: told(before.chapters), after: told(chapters) })
    return chaptersOf(tx, videoId)
  })
}

async function chaptersOf(tx: Tx, videoId: string): Promise<Chapters> {
  const found = await findChapters(tx, videoId)
  if (found) return { ...found, chapters: found.chapters ?? [] }
  // One that is not there is not found; one that plays nothing yet is not ready.
  await requireRow(tx, Id, sql`select id from videos where id = ${videoId} and deleted_at is null`)
  throw refuse('not_ready')
}

const problemOf: Record<ChapterFault, FieldProblem> = {
  no_time: 'invalid',
  no_vtt_time: 'invalid',
  no_title: 'required',
  long_title: 'too_long',
  same_time: 'taken',
  after_end: 'too_big',
  too_many: 'too_long',
}
const aboutTitle = new Set<ChapterFault>(['no_title', 'long_title'])

/** What was sent, as a list. Refuses all of it where one of them cannot be. */
function chaptersSent(
  { chapters, text }: ParsedBody<typeof saveChapters>,
  durationMs: number,
): KeptChapter[] {
  if ((chapters === undefined) === (text === undefined))
    throw refuse('validation_failed', { fields: { chapters: [chapters ? 'invalid' : 'required'] } })
  if (text !== undefined) {
    const found = chaptersIn(text, durationMs)
    if ('chapters' in found) return found.chapters.map((chapter) => ({ ...chapter, toCheck: false }))
    const { line, fault } = found
    throw refuse('validation_failed', {
      fields: { text: [problemOf[fault]] },
      reason: { code: 'chapter_unfit', params: { line, what: chapterFaults[fault] } },
    })
  }
  const list = chapters ?? []
  const faults = faultsOf(list, durationMs)
  const [first] = faults
  if (!first) return list
  const fields = faults.map(({ at, fault }) => [
    `chapters.${at}.${aboutTitle.has(fault) ? 'title' : 'startMs'}`,
    [problemOf[fault]],
  ])
  throw refuse('validation_failed', {
    fields: Object.fromEntries(fields) as Record<string, FieldProblem[]>,
    reason: { code: 'chapter_unfit', params: { line: first.at + 1, what: chapterFaults[first.fault] } },
  })
}

import * as z from 'zod/mini'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import type { WatchedBeforeAnswer } from '#contract/quizzes/quiz-results.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { saidIn, unheardOf } from '../../duty/said.ts'
import { watchedBeforeOf } from '../watched-before.ts'
import { showsPersons } from '../../directory/organizations/privacy.ts'

type QuestionKey = { videoId: string; itemId: string; language: string }

const Item = z.object({
  isTaught: z.boolean(),
  fromMs: z.nullable(z.number()),
  toMs: z.nullable(z.number()),
  playingId: z.nullable(z.string()),
  isRecorded: z.boolean(),
  smallestGroup: z.number(),
  organizationId: z.string(),
})

/** What the people who got a question wrong had watched; of fewer than the smallest group nothing is said. */
export async function watchedBeforeAnswer(
  tx: Tx,
  { videoId, itemId, language }: QuestionKey,
): Promise<WatchedBeforeAnswer> {
  const item = await requireRow(
    tx,
    Item,
    sql`select i.teaches_to_ms > i.teaches_from_ms is true as "isTaught", i.teaches_from_ms as "fromMs", i.teaches_to_ms as "toMs",
        v.current_version_id as "playingId", ${showsPersons(sql`o.id`)} as "isRecorded",
        coalesce((o.policies ->> 'smallestGroup')::int, ${defaultPolicies.smallestGroup}) as "smallestGroup", o.id as "organizationId"
      from videos v join organizations o on o.id = v.organization_id join quizzes z on z.video_id = v.id
      join quiz_versions q on q.quiz_id = z.id join quiz_items i on i.version_id = q.id
      where v.id = ${videoId} and v.deleted_at is null and i.id = ${itemId}`,
  )
  const { isTaught, isRecorded, smallestGroup, organizationId } = item
  const taught = isTaught ? await taughtBy(tx, item, language) : null
  if (!isRecorded || !isTaught) return { isRecorded, attention: null, taught, asOf: null }
  const { attention, asOf } = await watchedBeforeOf(tx, { organizationId, videoId, itemId })
  return { isRecorded, attention: attention.wrong >= smallestGroup ? attention : null, taught, asOf }
}

/** What people hear who watch the part that teaches a question. */
async function taughtBy(
  tx: Tx,
  { fromMs, toMs, playingId, organizationId }: z.infer<typeof Item>,
  language: string,
): Promise<WatchedBeforeAnswer['taught']> {
  if (fromMs === null || toMs === null || playingId === null) return null
  const track = await saidIn(tx, { organizationId, versionId: playingId, language })
  return unheardOf(track, [[fromMs, toMs]])
}

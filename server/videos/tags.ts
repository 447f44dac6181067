import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { tagKey, tagLimits, type listVideoTags } from '#contract/videos/tags.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'

/** Letters without case, the same on every database. */
const small = (text: SQL) => sql`lower(${text} collate "pg_c_utf8")`

/** Condition on the tag `g`. */
export const isTag = (tag: string | SQL): SQL => sql`${small(sql`g`)} = ${small(sql`${tag}::text`)}`

/** Condition on `videos v`. */
export const hasTag = (tag: string | SQL): SQL =>
  sql`exists (select from unnest(v.tags) g where ${isTag(tag)})`

const Used = z.object({ tag: z.string(), videos: z.number() })

/** Those of most videos first; of all organizations where none is named. */
export function tagsOf(
  tx: Tx,
  organizationId: string | undefined,
): Promise<Reply<typeof listVideoTags>['items']> {
  return rows(
    tx,
    Used,
    sql`select min(g) as tag, count(*)::int as videos from videos v cross join lateral unnest(v.tags) g
      where v.deleted_at is null and ${organizationId === undefined ? sql`true` : sql`v.organization_id = ${organizationId}`}
      group by ${small(sql`g`)} order by videos desc, tag limit ${tagLimits.offered}`,
  )
}

const Spelled = z.object({ tag: z.string() })

/** The same tags, each as the videos of the organization spell it already, so that a list has no two of one meaning. */
export async function spelledAlike(
  tx: Tx,
  organizationId: string,
  tags: readonly string[],
): Promise<string[]> {
  if (tags.length === 0) return []
  const found = await rows(
    tx,
    Spelled,
    sql`select distinct g as tag from videos v cross join lateral unnest(v.tags) g
      where v.organization_id = ${organizationId} and v.deleted_at is null
        and ${small(sql`g`)} = any(select ${small(sql`x`)} from unnest(${arrayOf([...tags], 'text')}) x) order by tag`,
  )
  const byKey = new Map(found.map(({ tag }) => [tagKey(tag), tag]))
  return tags.map((tag) => byKey.get(tagKey(tag)) ?? tag)
}

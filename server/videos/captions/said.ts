import * as z from 'zod/mini'
import { Moment, spoken } from '#contract/videos/moments.ts'
import { arrayOf, rows, type Tx } from '../../platform/db/client.ts'
import { all } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

/**
 * Ids of the videos in which all of these words are said, in one language of the version that plays. What is said is indexed by its words
 * (`said_words`), not by threes of letters as names are: nearly every three is somewhere in any speech. So a word is found by its
 * beginning. The index is asked first (`offset 0`): the planner would rather read what is said in every video than a list of words.
 */
export const saying = (given: SQL, within: { video: SQL; captions: SQL | false | undefined }): SQL =>
  sql`select r.id from (select c.video_id, c.version_id from captions c where c.said_words @@ ${given} and ${all([within.captions])} offset 0) c
    join videos r on r.id = c.video_id and r.current_version_id = c.version_id where ${within.video}`

export const saidQuery = (text: SQL | string): SQL => sql`said_query(${text})`

const Said = z.extend(Moment, { videoId: z.string() })

/** Nobody looks more of them up in a list. */
const mostMoments = 3

/**
 * Where these words are said in the versions that play, of each video the first few places in the order of their times. A place that has
 * more of the words is taken before one that has fewer.
 */
export async function momentsOf(
  tx: Tx,
  { videoIds, words }: { videoIds: readonly string[]; words: string },
): Promise<ReadonlyMap<string, Moment[]>> {
  if (videoIds.length === 0) return new Map()
  const found = await rows(
    tx,
    Said,
    sql`with asked as materialized (
        select said_query(${words}) as query,
          array(select '% ' || w || case when length(w) > 1 then '%' else ' %' end from string_to_table(said_line(${words}), ' ') w where w <> '') as words)
      select v.id as "videoId", c.language, s.cue->>'text' as text, (s.cue->>'startMs')::int as "atMs"
      from videos v cross join lateral (
        select c.id, l.n, (select count(*) from unnest((select a.words from asked a)) w where l.line || ' ' like w) as agreeing
        from captions c cross join lateral string_to_table(c.said, e'\n') with ordinality l (line, n)
        where c.video_id = v.id and c.version_id = v.current_version_id and c.said_words @@ (select a.query from asked a)
          and l.line || ' ' like any ((select a.words from asked a)::text[])
        order by c.is_default desc, agreeing desc, c.kind, c.language, l.n limit ${sql.raw(String(mostMoments))}) m
        join captions c on c.id = m.id cross join lateral (select c.cues->(m.n - 1)::int as cue) s
      where v.id = any(${arrayOf(videoIds, 'uuid')})`,
  )
  const inOrder = found.toSorted((one, other) => one.atMs - other.atMs)
  const byVideo = Map.groupBy(inOrder, ({ videoId }) => videoId)
  return new Map(
    Array.from(byVideo, ([id, said]) => [
      id,
      said.map(({ atMs, text, language }) => ({ atMs, text: spoken(text), language })),
    ]),
  )
}

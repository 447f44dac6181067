import { mostHits, type SearchKind } from '#contract/search.ts'
import { arrayOf, rows, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { isoText, planForValues } from '../db/search.ts'
import type { Source } from './sources.ts'
import { beginsWith, beginsWords, hasAll, isIndexed, type Words } from './words.ts'

export type Found = {
  kind: SearchKind
  id: string
  organizationId: string
  organizationName: string
  title: string
  detail: string
  /** Looked through as well, but shown only where it agrees. */
  more: string | null
  state: string | null
  picture: string | null
  people: number | null
  createdAt: string
  rank: number
  total: number
}

/** `total`: up to `mostHits` and one. */
export type Cut = { limit: number; offset: number }

/** One more than can be paged through, which tells that there are more. */
const most = mostHits + 1

/** Rows that tell whether many agree or few, and from how many agreeing ones on many do. */
const sample = 400
const many = 20
/** Rows that are walked through at most. */
const longestWalk = 10_000

/** The best of every source, in one statement. */
export async function findByWords(
  tx: Tx,
  { sources, words, cut }: { sources: readonly Source[]; words: Words; cut: Cut },
): Promise<Found[]> {
  if (sources.length === 0 || words.words.length === 0) return []
  const planned = planForValues(tx)
  const found = rows<Found>(tx, union(sources.map((source) => branch(source, words, cut))))
  await planned
  return found
}

/** Those of these ids that the reader may see, in the order of the ids. */
export function findByIds(
  tx: Tx,
  { sources, ids, cut }: { sources: readonly Source[]; ids: readonly string[]; cut: Cut },
): Promise<Found[]> {
  const these = arrayOf(ids, 'uuid')
  const parts = sources.map((source) => {
    const { table, id, present } = source
    const rank = sql`array_position(${these}, r.id)`
    const candidates = sql`select ${id} as id from ${table} where ${present} and ${id} = any(${these})`
    return hits(source, { candidates, rank, cut })
  })
  return parts.length === 0 ? Promise.resolve([]) : rows<Found>(tx, union(parts))
}

function union(parts: readonly SQL[]): SQL {
  return sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union all `,
  )
}

/**
 * Candidates come in three ways. `ahead` begins with the text: the best there are, in order. When they are too few, a sample tells
 * whether many agree, which are then soon met by walking (`met`), or few, which the index finds (`found`); statistics cannot tell. As
 * a part of its own, `matching` is planned for all its rows and stops when enough were taken.
 */
function branch(source: Source, words: Words, cut: Cut): SQL {
  const { table, id, text, beginning, present, walk, few } = source
  const rank = rankOf(source, words)
  const agrees = (column: SQL) => hasAll(column, words)
  if (few)
    return hits(source, { candidates: sql`select ${id} as id from ${few} and ${agrees(text)}`, rank, cut })
  const scarce = sql`(select count(*) from ahead) < ${most}`
  // Words that no index knows are looked for by walking alone.
  const isFew =
    walk && isIndexed(words)
      ? sql`(select n from sampled) < ${many}`
      : sql.raw(String(!walk && isIndexed(words)))
  const ahead = sql`ahead as materialized (
      select ${id} as id from ${table} where ${present} and ${beginsWith(beginning, words.text.slice(0, 100))}
      order by ${beginning} using ~<~ limit ${most}
    )`
  const found = sql`matching as materialized (
      select ${id} as id from ${table} where ${present} and ${agrees(text)}
    ), found as materialized (select id from matching where ${scarce} and ${isFew} limit ${most})`
  const walked = (length: number) =>
    sql`select ${id} as id, ${text} as text from ${table} where ${present} ${walk ?? sql``} limit ${length}`
  const met = sql`sampled as materialized (
      select count(*) as n from (${walked(sample)}) w where ${agrees(sql`w.text`)} and ${scarce}
    ), met as materialized (
      select w.id from (${walked(longestWalk)}) w where ${agrees(sql`w.text`)} and ${scarce} and not ${isFew} limit ${most}
    )`
  const candidates = walk
    ? sql`with ${ahead}, ${met}, ${found} select id from ahead union select id from met union select id from found`
    : sql`with ${ahead}, ${found} select id from ahead union select id from found`
  return hits(source, { candidates, rank, cut })
}

const [foldedTitle, foldedText] = [sql`r.folded_title`, sql`r.folded_text`]

/** 0: it is that; then it begins so, words of the title do, words of the rest do, the title has them, the rest has. */
function rankOf({ isExactly }: Source, words: Words): SQL {
  const given = sql`fold_text(${words.text})`
  return sql`case when ${foldedTitle} = ${given} or ${isExactly(sql`lower(${words.text})`)} then 0
    when ${beginsWith(foldedTitle, words.text)} then 1
    when ${beginsWords(foldedTitle, words)} then 2
    when ${beginsWords(foldedText, words)} then 3
    when ${hasAll(foldedTitle, words)} then 4 else 5 end`
}

/**
 * The page is cut out before anything else is looked up for its rows. `offset 0` keeps what is worked out once from being written
 * out, and so worked out, in every place where it is used.
 */
function hits(source: Source, { candidates, rank, cut }: { candidates: SQL; rank: SQL; cut: Cut }): SQL {
  const { kind, table, id, text, title, isResting, isDated, columns } = source
  const rows = sql`select ${id} as id, ${columns.organizationId} as organization_id, ${columns.title} as title,
      ${columns.detail} as detail, ${columns.more} as more, ${columns.state} as state, ${columns.picture} as picture,
      ${columns.people} as people, ${columns.createdAt} as created_at, ${columns.address} as address,
      ${isResting} as resting, ${title} as folded_title, ${text} as folded_text
    from ${table} join (${candidates}) c on c.id = ${id} offset 0`
  const ranked = sql`select r.*, ${rank} as rank from (${rows}) r offset 0`
  const order = sql`r.rank, r.resting, ${isDated ? sql`r.created_at desc` : sql`r.folded_title`}, r.id`
  return sql`select ${kind}::text as kind, h.id, h.organization_id as "organizationId", o.name as "organizationName", h.title, h.detail,
      h.more, h.state, h.picture, h.people::int as people, ${isoText(sql`h.created_at`)} as "createdAt", h.rank, h.total::int as total
    from (select r.*, count(*) over () as total, row_number() over (order by ${order}) as place
      from (${ranked}) r order by place limit ${cut.limit} offset ${cut.offset}) h
    join organizations o on o.id = h.organization_id order by h.place`
}

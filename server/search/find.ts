import * as z from 'zod/mini'
import { mostHits, searchKinds } from '#contract/search.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { fetchedBy, isoText } from '../platform/db/search.ts'
import { oneOfFew } from '../platform/db/statements.ts'
import type { Source } from './sources.ts'
import {
  asGiven,
  askedFor,
  asWhole,
  beginsAsGiven,
  beginsWords,
  hasAll,
  hasKeys,
  isAhead,
  lookupOf,
  type Lookup,
  type QueryWords,
} from './words.ts'

export const Hit = z.object({
  kind: z.enum(searchKinds),
  id: z.string(),
  organizationId: z.string(),
  organizationName: z.string(),
  title: z.string(),
  detail: z.string(),
  /** Looked through as well, but shown only where it agrees. */
  more: z.nullable(z.string()),
  state: z.nullable(z.string()),
  picture: z.nullable(z.string()),
  people: z.nullable(z.number()),
  createdAt: z.string(),
  rank: z.number(),
  total: z.number(),
})
export type Hit = z.infer<typeof Hit>

/** `total`: up to `mostHits` and one. */
export type Cut = { limit: number; offset: number }

const indexLimit = sql.raw(oneOfFew)

/** Written into the statement, because a plan for any number would expect many more. */
const number = (n: number) => sql.raw(String(n))

/** One more than can be paged through, which tells that there are more. */
const most = number(mostHits + 1)

/** Rows that tell whether many agree or few, and from how many agreeing ones on many do. */
const sample = 400
const many = number(20)
/** Rows that are walked through at most. */
const longestWalk = 10_000

type SourcesQuery = { sources: readonly Source[]; words: QueryWords; cut: Cut }

/** The best of every source, in one statement. */
export function findByWords(tx: Tx, { sources, words, cut }: SourcesQuery): Promise<Hit[]> {
  if (sources.length === 0 || words.words.length === 0) return Promise.resolve([])
  const lookup = lookupOf(words)
  const parts = sources.map((source) => {
    const { table, few, text } = source
    const from = few
      ? sql`${few} where ${hasAll(text)}`
      : sql`${table} join (${candidatesOf(source, lookup)}) c on c.id = r.id`
    return hits(source, { from, rank: rankOf(source), cut })
  })
  return rows(tx, Hit, sql`${indexLimit} with ${askedFor(words)} ${union(parts)}`)
}

/** Those of these ids that the reader may see, in the order of the ids. */
export function findByIds(
  tx: Tx,
  { sources, ids, cut }: { sources: readonly Source[]; ids: readonly string[]; cut: Cut },
): Promise<Hit[]> {
  if (sources.length === 0) return Promise.resolve([])
  const parts = sources.map((source) => {
    const these = fetchedBy(sql`(select w.ids from wanted w)::uuid[]`, source.table)
    const rank = sql`array_position((select w.ids from wanted w), r.id)`
    return hits(source, { from: sql`${these} where ${source.present}`, rank, cut })
  })
  return rows(
    tx,
    Hit,
    sql`${indexLimit} with wanted as materialized (select ${arrayOf(ids, 'uuid')} as ids) ${union(parts)}`,
  )
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
function candidatesOf({ table, text, beginning, present, walk, said }: Source, lookup: Lookup): SQL {
  const isScarce = sql`(select count(*) from ahead) < ${most}`
  const isFew = walk ? sql`(select n from sampled) < ${many}` : sql`true`
  const parts = [
    sql`ahead as materialized (
      select r.id from ${table} where ${present} and ${isAhead(beginning)} order by ${beginning.column} using ${beginning.less} limit ${most})`,
  ]
  const walked = (length: number) =>
    sql`(select r.id, ${text} as text from ${table} where ${present} ${walk ?? sql``} limit ${number(length)}) w`
  if (walk)
    parts.push(
      sql`sampled as materialized (select count(*) as n from ${walked(sample)} where ${hasAll(sql`w.text`)} and ${isScarce})`,
      // Words that no index knows are looked for by walking alone.
      sql`met as materialized (select w.id from ${walked(longestWalk)}
        where ${hasAll(sql`w.text`)} and ${isScarce} ${lookup === 'none' ? sql`` : sql`and not ${isFew}`} limit ${most})`,
    )
  if (lookup !== 'none')
    parts.push(
      sql`matching as materialized (
        select r.id from ${table} where ${present} and ${hasKeys(text, lookup)} and ${hasAll(text)})`,
      sql`found as materialized (select id from matching where ${isScarce} and ${isFew} limit ${most})`,
    )
  if (said) parts.push(sql`said as materialized (select id from (${said}) s where ${isScarce} limit ${most})`)
  const ways = [
    'ahead',
    ...(walk ? ['met'] : []),
    ...(lookup === 'none' ? [] : ['found']),
    ...(said ? ['said'] : []),
  ]
  return sql`with ${sql.join(parts, sql`, `)} ${sql.raw(ways.map((way) => `select id from ${way}`).join(' union '))}`
}

/** What has the words nowhere but in what is said. */
export const saidAlone = 6

/** 0: it is that; then it begins so, words of the title do, words of the rest do, the title has them, the rest has; or they are said. */
function rankOf({ addresses, title, text }: Source): SQL {
  const called = sql`fold_text(${title})`
  const isExactly = addresses.map((one) => sql`or ${one} = ${asWhole}`)
  return sql`case when ${beginsAsGiven(text)} and ${called} = ${asGiven} ${sql.join(isExactly, sql` `)} then 0
    when ${beginsAsGiven(text)} and ${beginsAsGiven(called)} then 1
    when ${beginsWords(text)} then case when ${beginsWords(called)} then 2 else 3 end
    when ${hasAll(called)} then 4 when ${hasAll(text)} then 5 else ${number(saidAlone)} end`
}

type Ranked = {
  /** Rows with the alias `r`. */
  from: SQL
  rank: SQL
  cut: Cut
}

/**
 * The page is cut out before anything else is looked up for its rows.
 */
function hits(source: Source, { from, rank, cut }: Ranked): SQL {
  const { kind, organizationId, title, named = sql`h.title`, date, isResting, isDated, shown } = source
  const ranked = sql`select r.id, ${organizationId} as organization_id, ${title} as title, ${shown.detail} as detail, ${shown.more} as more,
      ${shown.state} as state, ${shown.picture} as picture, ${shown.people} as people, ${date} as created_at, ${rank} as rank,
      ${isResting} as resting, ${isDated ? sql`null::text` : sql`fold_text(${title})`} as called from ${from}`
  const order = (row: string) =>
    sql.raw(`${row}.rank, ${row}.resting, ${isDated ? `${row}.created_at desc` : `${row}.called`}, ${row}.id`)
  return sql`select '${sql.raw(kind)}' as kind, h.id, h.organization_id as "organizationId", o.name as "organizationName", ${named} as title, h.detail,
      h.more, h.state, h.picture, h.people::int as people, ${isoText(sql`h.created_at`)} as "createdAt", h.rank, h.total::int as total
    from (select r.*, count(*) over () as total from (${ranked}) r order by ${order('r')} limit ${cut.limit} offset ${cut.offset}) h
    join organizations o on o.id = h.organization_id order by ${order('h')}`
}

import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import {
  kindsFor,
  mostHits,
  pageOfKind,
  searchKinds,
  type search,
  type SearchGroup,
  type SearchHit,
} from '#contract/search.ts'
import type { Moment } from '#contract/videos/moments.ts'
import { together, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { planOnce } from '../platform/db/search.ts'
import { nearestAmong, type SearchedColumn } from '../platform/db/similar.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { namedBy } from './address.ts'
import { findByIds, findByWords, saidAlone, type Hit } from './find.ts'
import { excerptOf, marksOf } from './marks.ts'
import { momentsOf } from '../videos/captions/said.ts'
import { sourcesFor, type Source } from './sources.ts'
import { wordsIn } from './words.ts'

/** Only people have one. */
const isMailAddress = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

type SearchRequest = { caller: Caller; query: ParsedQuery<typeof search> }

export async function searchFor(tx: Tx, asked: SearchRequest): Promise<Reply<typeof search>> {
  const [, found] = await together(planOnce(tx), find(tx, asked))
  return found
}

/** A pasted id or address finds that thing alone; words find what has them all, and if nothing does, what comes nearest. */
async function find(tx: Tx, { caller, query }: SearchRequest): Promise<Reply<typeof search>> {
  const { q, limit, offset } = query
  const cut = { limit, offset }
  const kinds = kindsFor(caller.role).filter((kind) => query.kinds?.includes(kind) ?? true)
  const sources = await sourcesFor(
    tx,
    caller,
    kinds.filter((kind) => kind === 'user' || !isMailAddress.test(q)),
  )
  const named = namedBy(q)
  if (named) {
    const possible = sources.filter(({ kind }) => named.kind === undefined || named.kind === kind)
    return answer(await findByIds(tx, { sources: possible, ids: [named.id], cut }), {
      closenessOf: () => 'exact',
    })
  }
  const words = wordsIn(q)
  const found = await findByWords(tx, { sources, words, cut })
  if (found.length > 0 || offset > 0)
    return answer(found, {
      words: words.words,
      closenessOf: closenessOfRank,
      moments: await momentsOf(tx, { videoIds: saidIn(found), words: words.text }),
    })
  const near = await nearestAmong(tx, { places: sources.map(placeOf), text: words.text, most: limit })
  if (near.length === 0) return { groups: [], approximate: false }
  const nearby = await findByIds(tx, { sources, ids: near, cut })
  return {
    ...answer(nearby, { words: words.words, closenessOf: () => 'elsewhere' }),
    approximate: true,
  }
}

const saidIn = (found: readonly Hit[]) => found.flatMap(({ id, rank }) => (rank === saidAlone ? id : []))

/** Groups that somebody administers are never as many as the people in them. */
function placeOf({ kind, table, present, few, text, title, searchesMore }: Source): SearchedColumn {
  return {
    from: sql`${table} where ${present}`,
    id: sql`r.id`,
    column: text,
    keys: searchesMore ? sql`slip_keys(fold_text(${title}))` : undefined,
    few: kind === 'user' ? few : undefined,
  }
}

type Moments = ReadonlyMap<string, readonly Moment[]>
type Answered = {
  words?: readonly string[]
  closenessOf: (best: number) => SearchGroup['closeness']
  moments?: Moments
}

function answer(
  found: readonly Hit[],
  { words = [], closenessOf, moments = new Map() }: Answered,
): Reply<typeof search> {
  const groups = [...Map.groupBy(found, ({ kind }) => kind).values()].map((group) =>
    groupOf(group, { words, moments, closeness: closenessOf(Math.min(...group.map(({ rank }) => rank))) }),
  )
  const place = ({ kind, closeness }: SearchGroup) =>
    closenesses.indexOf(closeness) * searchKinds.length + searchKinds.indexOf(kind)
  return { groups: groups.toSorted((one, other) => place(one) - place(other)), approximate: false }
}

const closenesses: readonly SearchGroup['closeness'][] = ['exact', 'title', 'elsewhere']

/** By the ranks of find.ts. */
function closenessOfRank(best: number): SearchGroup['closeness'] {
  if (best === 0) return 'exact'
  return best <= 2 ? 'title' : 'elsewhere'
}

type Shared = { words: readonly string[]; moments: Moments; closeness: SearchGroup['closeness'] }

function groupOf(found: readonly Hit[], { words, moments, closeness }: Shared): SearchGroup {
  const [{ kind, total } = { kind: 'user' as const, total: 0 }] = found
  return {
    kind,
    closeness,
    hits: found.map((hit) => hitOf(hit, words, moments.get(hit.id)?.[0] ?? null)),
    total: Math.min(total, mostHits),
    totalIsMinimum: total > mostHits,
  }
}

function hitOf(
  { rank: _rank, total: _total, more, ...found }: Hit,
  words: readonly string[],
  moment: Moment | null,
): SearchHit {
  const titleMarks = marksOf(found.title, words)
  const shown = excerptOf(moment?.text ?? found.detail, words)
  const isElsewhere = more !== null && marksOf(more, words).length > 0
  const detail = isElsewhere ? `${shown} · ${more}` : shown
  return { ...found, titleMarks, detail, detailMarks: marksOf(detail, words), moment, path: pathOf(found) }
}

function pathOf({ kind, id, organizationId }: Pick<Hit, 'kind' | 'id' | 'organizationId'>): string {
  return pageOfKind[kind].replace('$orgId', organizationId).replace(/\$\w+/, id)
}

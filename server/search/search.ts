import type { ParsedQuery, Reply } from '#contract/endpoint.ts'
import {
  kindsFor,
  mostHits,
  pageOfKind,
  type search,
  type SearchGroup,
  type SearchHit,
} from '#contract/search.ts'
import type { Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import { nearestAmong } from '../db/similar.ts'
import type { Caller } from '../http/bearer.ts'
import { namedBy } from './address.ts'
import { findByIds, findByWords, type Found } from './find.ts'
import { excerptOf, marksOf } from './marks.ts'
import { sourcesFor } from './sources.ts'
import { wordsIn } from './words.ts'

/** Only people have one. */
const isMailAddress = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

type Asked = { caller: Caller; query: ParsedQuery<typeof search> }

/** A pasted id or address finds that thing alone; words find what has them all, and if nothing does, what comes nearest. */
export async function searchFor(tx: Tx, { caller, query }: Asked): Promise<Reply<typeof search>> {
  const { q, limit, offset } = query
  const cut = { limit, offset }
  const kinds = kindsFor(caller.role).filter((kind) => query.kinds?.includes(kind) ?? true)
  const sources = sourcesFor(
    caller,
    kinds.filter((kind) => kind === 'user' || !isMailAddress.test(q)),
  )
  const named = namedBy(q)
  if (named) {
    const possible = sources.filter(({ kind }) => named.kind === undefined || named.kind === kind)
    return answer(await findByIds(tx, { sources: possible, ids: [named.id], cut }), [])
  }
  const words = wordsIn(q)
  const found = await findByWords(tx, { sources, words, cut })
  if (found.length > 0 || offset > 0) return answer(found, words.words)
  const places = sources.map(({ table, present, few, id, text }) => ({
    from: few ?? sql`${table} where ${present}`,
    id,
    column: text,
  }))
  const near = await nearestAmong(tx, {
    places,
    text: words.text,
    most: limit,
  })
  if (near.length === 0) return answer([], [])
  return { ...answer(await findByIds(tx, { sources, ids: near, cut }), words.words), approximate: true }
}

function answer(found: readonly Found[], words: readonly string[]): Reply<typeof search> {
  const groups = Map.groupBy(found, ({ kind }) => kind)
  const best = (group: readonly Found[]) => Math.min(...group.map(({ rank }) => rank))
  return {
    groups: [...groups.values()]
      .toSorted((one, other) => best(one) - best(other))
      .map((group) => groupOf(group, words)),
    approximate: false,
  }
}

function groupOf(found: readonly Found[], words: readonly string[]): SearchGroup {
  const [{ kind, total } = { kind: 'user' as const, total: 0 }] = found
  return {
    kind,
    hits: found.map((hit) => hitOf(hit, words)),
    total: Math.min(total, mostHits),
    totalIsMinimum: total > mostHits,
  }
}

function hitOf({ rank: _rank, total: _total, more, ...found }: Found, words: readonly string[]): SearchHit {
  const titleMarks = marksOf(found.title, words)
  const shown = excerptOf(found.detail, words)
  const isElsewhere = more !== null && marksOf(more, words).length > 0
  const detail = isElsewhere ? `${shown} · ${more}` : shown
  return { ...found, titleMarks, detail, detailMarks: marksOf(detail, words), path: pathOf(found) }
}

function pathOf({ kind, id, organizationId }: Pick<Found, 'kind' | 'id' | 'organizationId'>): string {
  return pageOfKind[kind].replace('$orgId', organizationId).replace(/\$\w+/, id)
}

import { useQueries } from '@tanstack/react-query'
import { listTraining, type TrainingRow } from '#contract/matrix/training.ts'
import type { Query } from '#contract/endpoint.ts'
import { queryClient, queryOf, useList } from '#web/api/query.ts'
import type { Span } from './window.ts'

export const pageSize = 100
/** Rows can be counted off only to this depth. */
export const mostRows = 10_000

/** These are the milliseconds between two readings of what is in sight, while the page is looked at. */
export const every = 60_000

export type RowQuery = Omit<Query<typeof listTraining>, 'offset' | 'limit' | 'after'>

/** Returns the address of the n-th hundred of the rows. */
export function pageAt(orgId: string, query: RowQuery, page: number) {
  return { params: { orgId }, query: { ...query, limit: pageSize, offset: page * pageSize } }
}

/** Returns rows by their number, fetched in hundreds as they come into sight. The first hundred says how many there are. */
export function useRows(orgId: string, query: RowQuery, { from, until }: Span) {
  const first = useList(listTraining, pageAt(orgId, query, 0), { every })
  const start = Math.max(1, Math.floor(from / pageSize))
  const end = Math.floor(Math.max(0, until - 1) / pageSize)
  const pages = Array.from({ length: Math.max(0, end - start + 1) }, (_none, n) => start + n)
  const others = useQueries({
    queries: pages.map((page) => ({
      ...queryOf(listTraining, pageAt(orgId, query, page)),
      refetchInterval: every,
    })),
  })
  const byPage = new Map(pages.map((page, at) => [page, others[at]?.data]))
  const rowAt = (number: number): TrainingRow | undefined => {
    const page = Math.floor(number / pageSize)
    return (page === 0 ? first.page : byPage.get(page))?.items[number % pageSize]
  }
  return { ...first, rowAt }
}

/** Returns the rows that have been fetched, from the first one on, without a gap. */
export function knownRows(orgId: string, query: RowQuery): readonly TrainingRow[] {
  const rows: TrainingRow[] = []
  for (let page = 0; ; page++) {
    const items = queryClient.getQueryData(queryOf(listTraining, pageAt(orgId, query, page)).queryKey)?.items
    rows.push(...(items ?? []))
    if (!items || items.length < pageSize) return rows
  }
}

/** Returns the people of these rows, fetched where they have not been in sight. */
export async function idsOf(orgId: string, query: RowQuery, { from, until }: Span): Promise<string[]> {
  const first = Math.floor(from / pageSize)
  const count = Math.floor((until - 1) / pageSize) - first + 1
  const pages = await Promise.all(
    Array.from({ length: count }, (_none, n) =>
      queryClient.ensureQueryData(queryOf(listTraining, pageAt(orgId, query, first + n))),
    ),
  )
  const start = first * pageSize
  return pages
    .flatMap(({ items }) => items)
    .slice(from - start, until - start)
    .map(({ id }) => id)
}

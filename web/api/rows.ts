import type { EndpointDefinition } from '#contract/endpoint.ts'
import { queryClient } from './query.ts'

type Rows = { items: readonly { id: string }[] }

/**
 * Shows a change in the rows of a list before the server has answered. When it refuses, they are as they were; when it does not,
 * `change` has them read again.
 */
export async function showingInRows<T>(
  list: EndpointDefinition,
  { id, ...patch }: { id: string } & Record<string, unknown>,
  change: () => Promise<T>,
): Promise<T> {
  const queryKey = [list.name]
  await queryClient.cancelQueries({ queryKey })
  const before = queryClient.getQueriesData<Rows>({ queryKey })
  queryClient.setQueriesData<Rows>(
    { queryKey },
    (page) =>
      page && { ...page, items: page.items.map((row) => (row.id === id ? { ...row, ...patch } : row)) },
  )
  try {
    return await change()
  } catch (error) {
    for (const [key, page] of before) queryClient.setQueryData(key, page)
    throw error
  }
}

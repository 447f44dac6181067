import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readOperation, type Operation } from '#contract/operations.ts'
import { queryClient, queryOf } from '#web/api/query.ts'
import { isWorking } from './titles.ts'

/** Often at first, then seldom: milliseconds until the next look. */
const pauseAfter = (looks: number) => Math.min(300 * 1.3 ** looks, 3_000)

/** An operation, read again as long as something happens to it; at its end all that is shown is read anew. */
export function useProgress(operationId: string): { operation: Operation | undefined; error: Error | null } {
  const query = useQuery({
    ...queryOf(readOperation, { params: { operationId } }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && isWorking(data) ? pauseAfter(dataUpdateCount) : false,
  })
  const operation = query.data
  // How it ended, and not whether it works: what is taken back quickly is never seen at work.
  const ended = operation && !isWorking(operation) ? operation.state : null
  useEffect(() => {
    if (ended !== null) void queryClient.invalidateQueries()
  }, [ended])
  return { operation, error: query.error }
}

import { notifyManager, useQueryClient, type Query } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { ApiError, explain } from './errors.ts'
import { uncapitalized } from '#contract/platform/text/text.ts'

/** How fresh the figures of a page are. */
export type Reading = {
  /** When the oldest of them was read; milliseconds since 1970, 0 before the first time. */
  at: number
  isBusy: boolean
  /** Why the last try failed, within a sentence; undefined where it did not. The figures of the time before stay on the page. */
  trouble: string | undefined
  /** What has changed since this instant is not in them yet. */
  asOf: string | null
  /** Reads all of them again, at once. */
  again: () => Promise<void>
}

function troubleOf({ state }: Query): string | undefined {
  // Nothing is even tried while the browser knows that it has no network.
  if (state.fetchStatus === 'paused') return 'no connection'
  if (state.status !== 'error') return undefined
  const { error } = state
  if (error instanceof ApiError && error.kind === 'network') return 'no connection'
  const { title } = explain(error)
  return uncapitalized(title)
}

/** What the server still has to work out follows within seconds. */
const behindMs = 5_000

/**
 * Of what the page shows of these endpoints right now: of all its queries, none other. As long as figures are those of an earlier
 * instant, they are read again by themselves.
 */
export function useReading(endpoints: readonly EndpointDefinition[], asOf: string | null = null): Reading {
  const client = useQueryClient()
  const names = endpoints.map(({ name }) => name).join(' ')
  const filter = useMemo(() => {
    const wanted = new Set<unknown>(names.split(' '))
    return { type: 'active', predicate: ({ queryKey }: Query) => wanted.has(queryKey[0]) } as const
  }, [names])
  const subscribe = useCallback(
    (onChange: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(onChange)),
    [client],
  )
  const read = useCallback(() => {
    const shown = client.getQueryCache().findAll(filter)
    const times = shown.flatMap(({ state: { dataUpdatedAt } }) => (dataUpdatedAt > 0 ? [dataUpdatedAt] : []))
    const at = times.length === 0 ? 0 : Math.min(...times)
    const isBusy = shown.some(({ state }) => state.fetchStatus === 'fetching')
    // A store's answer has to be equal to the one before as long as nothing has changed: a text is.
    return [at, isBusy ? 'busy' : '', shown.map(troubleOf).find((one) => one !== undefined) ?? ''].join('|')
  }, [client, filter])
  const again = useCallback(() => client.refetchQueries(filter), [client, filter])
  useEffect(() => {
    if (asOf === null) return undefined
    const timer = setInterval(() => void again(), behindMs)
    return () => clearInterval(timer)
  }, [asOf, again])
  const [at = '0', busy, trouble] = useSyncExternalStore(subscribe, read).split('|')
  return {
    at: Number(at),
    isBusy: busy !== '',
    trouble: trouble === '' ? undefined : trouble,
    asOf,
    again,
  }
}

import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  replaceEqualDeep,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Body, EndpointDefinition, Reply } from '#contract/endpoint.ts'
import { call, keepVersion, type Address, type Input } from './client.ts'
import { ApiError, explain, isBeingWorkedOut } from './errors.ts'

/** Another try without asking, for reading only, and only where it can help; what is being worked out is asked for until it is there. */
function mayRetry(failures: number, error: unknown): boolean {
  if (isBeingWorkedOut(error)) return true
  return failures < 1 && error instanceof ApiError && error.kind !== 'timeout' && explain(error).retry
}

const retryDelay = (_failures: number, error: unknown) => (isBeingWorkedOut(error) ? 5_000 : 500)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRetry, retryDelay, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})

/** Query options whose key, address and life time come from the endpoint. */
export function queryOf<E extends EndpointDefinition>(endpoint: E, address: Address<E>) {
  const seconds = endpoint.cacheSeconds ?? 60
  return queryOptions<Reply<E>>({
    queryKey: [endpoint.name, address.params ?? {}, address.query ?? {}],
    // Reading endpoints have no body, so the address is all of the input.
    queryFn: ({ signal }) => call(endpoint, { ...address, signal } as unknown as Input<E>),
    staleTime: seconds * 1_000,
    gcTime: Math.max(seconds, 300) * 1_000,
    structuralSharing: (before, after) => keepVersion(after, replaceEqualDeep(before, after)),
  })
}

/** For loaders: the page can then be drawn without waiting. */
export function prefetch<E extends EndpointDefinition>(endpoint: E, address: Address<E>): Promise<Reply<E>> {
  return queryClient.ensureQueryData(queryOf(endpoint, address))
}

/** Shorter than the router waits before it draws something in place of the page. */
const patienceMs = 300

/** For loaders of pages that draw themselves without what takes longer, and say themselves what does not come. */
export function soon(parts: readonly Promise<unknown>[]): Promise<unknown> {
  return Promise.race([Promise.allSettled(parts), new Promise((resolve) => setTimeout(resolve, patienceMs))])
}

/** For loaders of forms: what is edited is read anew, or saving would find its own former change in the way. */
export function fetchFresh<E extends EndpointDefinition>(
  endpoint: E,
  address: Address<E>,
): Promise<Reply<E>> {
  return queryClient.fetchQuery({ ...queryOf(endpoint, address), staleTime: 0 })
}

type Refresh<E extends EndpointDefinition> = {
  /** Milliseconds between two readings, while the page is looked at; what was found may decide. */
  every?: number | false | ((found: Reply<E>) => number | false)
}

function intervalOf<E extends EndpointDefinition>({ every = false }: Refresh<E>) {
  if (typeof every !== 'function') return every
  return ({ state: { data } }: { state: { data: Reply<E> | undefined } }) =>
    data === undefined ? false : every(data)
}

/** The data of an endpoint, there from the first drawing on when the page's loader has prefetched it. */
export function useEndpoint<E extends EndpointDefinition>(
  endpoint: E,
  address: Address<E>,
  refresh: Refresh<E> = {},
) {
  return useSuspenseQuery({ ...queryOf(endpoint, address), refetchInterval: intervalOf(refresh) }).data
}

/**
 * The same for a page that keeps its frame without them: undefined until they come, and where the server cannot be reached. What is
 * refused, or is not there, has the face of the whole page.
 */
export function useAwaited<E extends EndpointDefinition>(endpoint: E, address: Address<E>) {
  const { data, error } = useQuery(queryOf(endpoint, address))
  if (data === undefined && error && !explain(error).retry) throw error
  return { data, isLost: data === undefined && error !== null }
}

/** When the data of an endpoint were last read; milliseconds since 1970, for pages that read them again by themselves. */
export function useReadAt<E extends EndpointDefinition>(endpoint: E, address: Address<E>): number {
  return useQuery({ ...queryOf(endpoint, address), enabled: false }).dataUpdatedAt
}

/** A page of a list. While another page, order or filter loads, and where it does not come, the former rows stay and `isStale` is true. */
export function useList<E extends EndpointDefinition>(
  endpoint: E,
  address: Address<E>,
  refresh: Refresh<E> = {},
) {
  const query = useQuery({
    ...queryOf(endpoint, address),
    placeholderData: keepPreviousData,
    refetchInterval: intervalOf(refresh),
  })
  const client = useQueryClient()
  const isMissing = query.data === undefined || query.isPlaceholderData
  const error = isMissing ? query.error : null
  const [last, keep] = useState(query.data)
  if (query.data !== undefined && query.data !== last) keep(query.data)
  return {
    page: error && explain(error).retry ? last : query.data,
    // Without a network the wanted rows do not come for now, which the frame says.
    isStale: error !== null || (query.isPlaceholderData && query.fetchStatus !== 'paused'),
    error,
    isBeingWorkedOut: isMissing && isBeingWorkedOut(query.failureReason),
    /** What else the page has lost is asked for again with it. */
    retry: () =>
      void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' }),
    updatedAt: query.dataUpdatedAt,
  }
}

/** When the oldest of the lists in sight was read, in milliseconds since 1970; now where there is none. */
export function oldestShown(client = queryClient): number {
  const isList = (data: unknown) => typeof data === 'object' && data !== null && 'items' in data
  const read = client
    .getQueryCache()
    .findAll({ type: 'active', predicate: ({ state }) => isList(state.data) })
    .map(({ state }) => state.dataUpdatedAt)
  return read.length > 0 ? Math.min(...read) : Date.now()
}

/** Marks everything that these endpoints have answered as out of date. */
export async function refreshAll(
  endpoints: readonly Pick<EndpointDefinition, 'name'>[],
  client = queryClient,
): Promise<void> {
  await Promise.all(endpoints.map(({ name }) => client.invalidateQueries({ queryKey: [name] })))
}

/**
 * A change through an endpoint; afterwards the named endpoints are read again. Repeating a failed POST that
 * creates or sends reuses its idempotency key as long as the content is the same.
 */
export function useChange<E extends EndpointDefinition>(
  endpoint: E,
  refreshes: readonly EndpointDefinition[] = [],
) {
  const client = useQueryClient()
  const key = useRef<{ content: string; key: string } | null>(null)
  return useMutation<Reply<E>, Error, Input<E>>({
    mutationFn: (input) => {
      if (!endpoint.idempotent) return call(endpoint, input)
      const content = JSON.stringify(bodyOf(input))
      if (key.current?.content !== content) key.current = { content, key: randomKey() }
      return call(endpoint, { ...input, idempotencyKey: key.current.key })
    },
    onSuccess: async () => {
      key.current = null
      await refreshAll(refreshes, client)
    },
  })
}

function bodyOf<E extends EndpointDefinition>(input: {
  params?: unknown
  body?: Body<E> | undefined
}): unknown {
  return [input.params, input.body]
}

/** `crypto.randomUUID` is missing on plain http; this is not. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

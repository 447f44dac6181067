import { useRef, useState } from 'react'
import type { EndpointDefinition, Reply } from '#contract/endpoint.ts'
import type { Address } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'
import { queryClient, queryOf, useEndpoint } from '../api/query.ts'

/** For loaders of forms: what is edited is read anew, or saving would find its own former change in the way. */
export function fetchFresh<E extends EndpointDefinition>(
  endpoint: E,
  address: Address<E>,
): Promise<Reply<E>> {
  return queryClient.fetchQuery({ ...queryOf(endpoint, address), staleTime: 0 })
}

/**
 * Editing something that others may change meanwhile. `base` is what the form began with, whatever is read again in the
 * background: `guard` names it when saving, and notices the refusal when it is no longer the present state.
 */
export function useEdit<E extends EndpointDefinition>(endpoint: E, address: Address<E>) {
  const present = useEndpoint(endpoint, address)
  const [base, setBase] = useState(present)
  const [isContested, setContested] = useState(false)
  const isOverwriting = useRef(false)
  return {
    base,
    isContested,
    async guard<R>(save: (condition: { ifMatch?: object }) => Promise<R>): Promise<R> {
      try {
        const isSeen = typeof base === 'object' && base !== null && !isOverwriting.current
        return await save(isSeen ? { ifMatch: base } : {})
      } catch (error) {
        setContested(error instanceof ApiError && error.problem?.code === 'precondition_failed')
        throw error
      } finally {
        isOverwriting.current = false
      }
    },
    /** Drops what was typed: the form begins again with the present state. */
    async reload(): Promise<void> {
      setBase(await fetchFresh(endpoint, address))
      setContested(false)
    },
    /** Saves over the other version. */
    overwrite(submit: () => void): void {
      isOverwriting.current = true
      submit()
    },
  }
}

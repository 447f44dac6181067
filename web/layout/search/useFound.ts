import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { search } from '#contract/search.ts'
import { queryOf } from '#web/api/query.ts'
import { cut } from '#contract/platform/text.ts'

/** Milliseconds without a key before the server is asked. */
const pause = 120
/** Of each kind. */
const limit = 4

/**
 * What the server has for a text that is being typed. A question that is no longer wanted is broken off; what the one before found
 * stays until the next answer. `isCurrent`: this is the answer to what stands in the field now.
 */
export function useFound(text: string) {
  const wanted = cut(text.trim(), 500)
  const [asked, ask] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => ask(wanted), wanted === '' ? 0 : pause)
    return () => clearTimeout(timer)
  }, [wanted])
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...queryOf(search, { query: { q: asked, limit } }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const isAnswered = (data !== undefined && !isPlaceholderData) || error !== null
  return {
    found: wanted === '' ? undefined : data,
    error: wanted === '' ? null : error,
    isCurrent: wanted === '' || (wanted === asked && isAnswered),
    retry: () => void refetch(),
  }
}

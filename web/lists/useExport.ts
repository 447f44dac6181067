import { useState } from 'react'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { fetchFile, type Input } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { offer } from '#web/ui/download.ts'
import { toast } from '#web/ui/toasts.ts'

/** Fetches a file and offers it: whether that is going on, and what begins it. The description of the call is fetched with it. */
export function useExport<E extends EndpointDefinition>(endpoint: () => Promise<E>, what: string) {
  const [isBusy, setBusy] = useState(false)
  const save = async (input: Input<E>) => {
    setBusy(true)
    try {
      offer(await fetchFile(await endpoint(), input), `${what}-${new Date().toISOString().slice(0, 10)}.csv`)
    } catch (error) {
      toast.failure(sentence(error))
    } finally {
      setBusy(false)
    }
  }
  return [isBusy, save] as const
}

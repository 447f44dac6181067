import type { EndpointDefinition } from '#contract/endpoint.ts'
import { useBusy } from '#web/api/attempt.ts'
import { fetchFile, type Input } from '#web/api/client.ts'
import { offerDated } from '#web/ui/download.ts'

/** Fetches a file and offers it: whether that is going on, and what begins it. The description of the call is fetched with it. */
export function useExport<E extends EndpointDefinition>(endpoint: () => Promise<E>, what: string) {
  const [isBusy, run] = useBusy()
  const save = (input: Input<E>) =>
    run(async () => offerDated(await fetchFile(await endpoint(), input), what, 'csv'))
  return [isBusy, save] as const
}

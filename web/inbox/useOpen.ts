import type { EndpointDefinition } from '#contract/endpoint.ts'
import { openMessage } from '#contract/inbox.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'

/** Leads to where a message does. Its link is of one person alone, so it is asked for only when it is opened. */
export function useOpen(refreshes: readonly EndpointDefinition[] = []): (deliveryId: string) => void {
  const change = useChange(openMessage, refreshes)
  return (deliveryId) =>
    void attempt(async () => {
      const { path } = await change.mutateAsync({ params: { deliveryId }, body: {} })
      location.assign(path)
    })
}

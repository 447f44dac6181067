import { countDeliveries } from '#contract/transmissions/deliveries.ts'
import { useEndpoint } from '#web/api/query.ts'

/** Milliseconds: it goes through all recipients, so that it is asked for less often than what changes with each mail. */
const every = 10_000

/** How many recipients each number opens, as the list finds them. */
export const useCounts = (transmissionId: string) =>
  useEndpoint(countDeliveries, { params: { transmissionId } }, { every })

import { countDeliveries } from '#contract/transmissions/deliveries.ts'
import { useEndpoint } from '#web/api/query.ts'

/**
 * The interval is in milliseconds. Counting goes through all recipients, so it is asked for less often than what changes with each mail.
 */
const every = 10_000

/** Counts the recipients that each number opens, as the list finds them. */
export const useCounts = (transmissionId: string) =>
  useEndpoint(countDeliveries, { params: { transmissionId } }, { every })

import type { EndpointDefinition } from '#contract/endpoint.ts'
import { call, type Input } from '#web/api/client.ts'
import type { Selection } from '#web/ui/table/selection.ts'

/** What every list hands to its bar. */
export type BarProps = {
  selection: Selection
  onSelect: (next: Selection) => void
  total: number
  totalIsMinimum?: boolean | undefined
}

/** Asks what would happen; other input asks anew. */
export const previewOf = <E extends EndpointDefinition>(endpoint: E, input: Input<E>) => ({
  key: [endpoint.name, input],
  ask: () => call(endpoint, input),
})

/** Those of a list that are exported. */
export function idsOf({ isAll, ids }: Selection) {
  return isAll ? { exceptIds: [...ids] } : { ids: [...ids] }
}

/** Whatever is not people, as the API takes it. */
export function wantedOf<Filter extends object>({ isAll, ids }: Selection, filter: Filter, expected: number) {
  return isAll ? { filter, exceptIds: [...ids], expected } : { ids: [...ids] }
}

import * as z from 'zod/mini'
import { audiencePeriods, viewerSorts } from '#contract/audience/audience.ts'
import { evidenceStates } from '#contract/tracking/evidence-states.ts'
import { listParts, pageQuery } from '#web/lists/search.ts'

export const search = z.object({
  ...listParts,
  period: z.catch(z.enum(audiencePeriods), 'all'),
  version: z.catch(z.union([z.uuid(), z.literal('')]), ''),
  evidence: z.catch(z.optional(z.enum(evidenceStates)), undefined),
  sort: z.catch(z.enum(viewerSorts), '-lastAt'),
})
export type Search = z.output<typeof search>

export function audienceQuery({ period, version }: Search) {
  return { period, ...(version ? { versionId: version } : {}) }
}

export function viewersQuery(state: Search) {
  const { before: _none, ...position } = pageQuery(state)
  const { q, sort, evidence } = state
  return {
    ...audienceQuery(state),
    sort,
    ...position,
    ...(q ? { q } : {}),
    ...(evidence ? { evidence } : {}),
  }
}

import { readDashboardLate } from '#contract/dashboard.ts'
import { useList } from '../../api/query.ts'
import { answerOf } from './Behind.tsx'
import { addressOf } from './place.ts'

/** What a dashboard says in one sentence, and of how many people; null until it is known. Where it is lost, its other parts may be too. */
export function useAnswer(orgId: string | null, isNew: boolean) {
  const { page, error } = useList(readDashboardLate, addressOf(orgId))
  const known = page ? answerOf(page) : error ? undefined : null
  const answer = isNew ? 'Nothing has been sent yet' : known
  return { answer, late: page?.people ?? 0, isLost: error !== null }
}

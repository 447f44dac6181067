import { useQuery } from '@tanstack/react-query'
import { formatDay } from '#contract/platform/format.ts'
import { readRetention } from '#contract/evidence/privacy.ts'
import { queryOf } from '#web/api/query.ts'

/** What the promise about keeping deletes next. */
export function NextDeletion({ orgId }: { orgId: string }) {
  const { data } = useQuery(queryOf(readRetention, { params: { orgId } }))
  if (!data) return null
  return (
    <p>
      {data.oldest === null || data.on === null
        ? 'Nothing has been watched yet, so there is nothing to delete.'
        : `With ${data.months} months, as saved, next: ${formatDay(data.on)}, viewing of ${formatDay(data.oldest)} and before.`}
    </p>
  )
}

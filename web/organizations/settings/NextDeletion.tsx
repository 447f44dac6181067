import { useQuery } from '@tanstack/react-query'
import { language } from '#contract/language.ts'
import { readRetention } from '#contract/privacy.ts'
import { queryOf } from '#web/api/query.ts'

const long = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
const dayName = (day: string) => long.format(new Date(`${day}T00:00:00Z`))

/** What the promise about keeping deletes next. */
export function NextDeletion({ orgId }: { orgId: string }) {
  const { data } = useQuery(queryOf(readRetention, { params: { orgId } }))
  if (!data) return null
  return (
    <p>
      {data.oldest === null || data.on === null
        ? 'Nothing has been watched yet, so there is nothing to delete.'
        : `With ${data.months} months, as saved, next: ${dayName(data.on)}, viewing of ${dayName(data.oldest)} and before.`}
    </p>
  )
}

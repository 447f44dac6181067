import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Reply } from '#contract/endpoint.ts'
import { previewRule } from '#contract/directory/members.ts'
import type { GroupRule } from '#contract/directory/rules.ts'
import { call } from '../api/client.ts'
import { sentence } from '../api/errors.ts'
import { Notice } from '../ui/Notice.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { isComplete } from './rule.ts'
import shapes from '#web/ui/shapes.module.css'

/** Milliseconds without a change before the server is asked. */
const pause = 300

/** How many people a rule means while it is being written, and who joins and leaves a group that has it. */
export function RulePreview({
  orgId,
  groupId,
  rule,
}: {
  orgId: string
  groupId: string | undefined
  rule: GroupRule
}) {
  const body = { rule, ...(groupId === undefined ? {} : { groupId }) }
  const text = JSON.stringify(body)
  const [late] = useDebouncedValue(text, pause)
  const isLate = late !== text
  const isAsked = isComplete(rule)
  const { data, error, isFetching } = useQuery({
    queryKey: [previewRule.name, orgId, late],
    // It was made of such a value a moment ago.
    queryFn: ({ signal }) =>
      call(previewRule, { params: { orgId }, body: JSON.parse(late) as typeof body, signal }),
    enabled: isAsked && !isLate,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <Notice tone="neutral" role="status" isBusy={isLate || isFetching}>
      {!isAsked && <p>Fill in every condition to see whom it means.</p>}
      {isAsked && error && <p>{sentence(error)}</p>}
      {isAsked && !error && (data ? <Meant {...data} /> : <p>Counting…</p>)}
    </Notice>
  )
}

function Meant({ count, sample, joins, leaves, leaving }: Reply<typeof previewRule>) {
  return (
    <>
      <p>
        <strong>{count === 0 ? 'Nobody matches' : plural(count, 'person matches', 'people match')}</strong>
      </p>
      {sample.length > 0 && <p className={shapes.lead}>{listed(sample, count)}</p>}
      {joins !== null && leaves !== null && (joins > 0 || leaves > 0) && (
        <ul className={shapes.bullets}>
          {joins > 0 && <li>{plural(joins, 'person joins', 'people join')} the group when you save.</li>}
          {leaves > 0 && (
            <li>
              {plural(leaves, 'person leaves', 'people leave')} the group: {listed(leaving, leaves)}
            </li>
          )}
        </ul>
      )}
    </>
  )
}

function listed(people: readonly { name: string }[], count: number): string {
  const names = people.map(({ name }) => name).join(', ')
  return count > people.length ? `${names} and ${formatNumber(count - people.length)} more` : names
}

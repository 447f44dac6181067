import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { countGaps } from '#contract/transmissions/preflight.ts'
import { bareNames, ofPerson } from '#contract/transmissions/variables.ts'
import { call } from '#web/api/client.ts'
import { plural } from '#web/ui/format.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { whomOf, hasAudience, type Draft } from '../draft.ts'
import { useDebounced } from './usePreview.ts'
import { useNamedFields } from '../variables.ts'

/** Counts the people of the audience for whom a variable of the message is empty, and nothing stands in its place. */
function useGaps(draft: Draft) {
  const fields = useNamedFields(draft.organizationId)
  const differing = new Set([...ofPerson, ...fields.map(({ key }) => key)])
  const variables = bareNames(draft.subject, draft.body).filter((name) => differing.has(name))
  const { settled: body, isLate } = useDebounced({ ...whomOf(draft), variables })
  const isAsked = variables.length > 0 && draft.organizationId !== '' && hasAudience(draft)
  const { data } = useQuery({
    queryKey: [countGaps.name, body],
    queryFn: ({ signal }) => call(countGaps, { body, signal }),
    enabled: isAsked && !isLate,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
  if (!isAsked || !data) return []
  return data.gaps
    .filter(({ variable }) => variables.includes(variable))
    .map(({ variable, people }) => {
      const field = fields.find(({ key }) => key === variable)?.label ?? null
      return { variable, people, field }
    })
}

type Gap = ReturnType<typeof useGaps>[number]

function gapText({ variable, people, field }: Gap): string {
  const who = plural(people, 'person has', 'people have')
  if (variable === 'firstName') return `${who} no first name`
  return field === null ? `${who} no name` : `${who} nothing in “${field}”`
}

type Props = { draft: Draft; hasDue: boolean }

/** Says for whom something in the message stays empty. It stops nothing. */
export function Gaps({ draft, hasDue }: Props) {
  const gaps = useGaps(draft)
  const lacksDue = !hasDue && bareNames(draft.subject, draft.body).includes('due')
  if (gaps.length === 0 && !lacksDue) return null
  const [example = 'due'] = gaps.map(({ variable }) => variable)
  return (
    <Notice tone="warning" role="status">
      {gaps.map((gap) => (
        <p key={gap.variable}>
          <strong>{gapText(gap)}.</strong>
        </p>
      ))}
      {lacksDue && (
        <p>
          <strong>No due day is chosen.</strong>
        </p>
      )}
      <p>
        It stays empty in their mails, unless you say what stands there instead:{' '}
        <code>{`{{${example}|…}}`}</code>
      </p>
    </Notice>
  )
}

import { bareNames } from '#contract/variables.ts'
import { plural } from '#web/ui/format.ts'
import { Notice } from '#web/ui/Notice.tsx'
import type { Draft } from './draft.ts'
import { useGaps } from './variables.ts'

type Gap = ReturnType<typeof useGaps>[number]

function gapText({ variable, people, field }: Gap): string {
  const who = plural(people, 'person has', 'people have')
  if (variable === 'firstName') return `${who} no first name`
  return field === null ? `${who} no name` : `${who} nothing in “${field}”`
}

type Props = { draft: Draft; hasDue: boolean }

/** For whom something in the message stays empty. It stops nothing. */
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

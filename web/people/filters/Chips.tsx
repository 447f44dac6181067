import { Button, CloseButton } from '@mantine/core'
import { language } from '#contract/language.ts'
import { onlyLabels } from '#web/lists/only.ts'
import { userStates } from '../../organizations/states.ts'
import { useFieldText } from './FieldChoice.tsx'
import { useGroupName, useVideoTitle } from './names.ts'
import { everybody, roleLabels, seenNames, type Change, type UserSearch } from './userSearch.ts'

const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
const dayName = (date: string) => day.format(new Date(date))

type Props = { orgId: string; state: UserSearch; change: Change }
type Chip = { text: string; remove: Partial<UserSearch> }

/** The filters that are on, each with a way out of it. */
export function Chips({ orgId, state, change }: Props) {
  const { role, state: condition, group, seen, unwatched, field, from, until, attention } = state
  const groupName = useGroupName(orgId, group) ?? 'one group'
  const videoTitle = useVideoTitle(unwatched) ?? 'a video'
  const fieldLabels = useFieldText(orgId, field)
  const chips: (Chip | false | undefined)[] = [
    attention && { text: onlyLabels[attention], remove: { attention: undefined } },
    role && { text: `Role: ${roleLabels[role]}`, remove: { role: undefined } },
    condition && { text: `State: ${userStates[condition].word}`, remove: { state: undefined } },
    group !== undefined && { text: `Group: ${groupName}`, remove: { group: undefined } },
    seen && { text: `Last in console: ${seenNames[seen].toLowerCase()}`, remove: { seen: undefined } },
    unwatched !== undefined && { text: `Has not completed: ${videoTitle}`, remove: { unwatched: undefined } },
    field !== undefined && { text: fieldLabels, remove: { field: undefined } },
    from !== undefined && { text: `Added from ${dayName(from)}`, remove: { from: undefined } },
    until !== undefined && { text: `Added until ${dayName(until)}`, remove: { until: undefined } },
  ]
  return (
    <ul className="org-chips" aria-label="Filters that are on">
      {chips
        .filter((chip) => chip !== false && chip !== undefined)
        .map(({ text, remove }) => (
          <li key={text} className="org-chip">
            <span>{text}</span>
            <CloseButton aria-label={`Remove the filter ${text}`} onClick={() => change(remove)} />
          </li>
        ))}
      <li>
        <Button variant="subtle" onClick={() => change(everybody)}>
          Clear all
        </Button>
      </li>
    </ul>
  )
}

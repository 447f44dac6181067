import { seenChoices, userStates as states } from '#contract/directory/users.ts'
import { dayFilter } from '#web/lists/bar/dayFilter.tsx'
import { choice, type Filter } from '#web/lists/bar/filters.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { userStates } from '../../organizations/states.ts'
import { roleFilters, roleLabels, seenNames, type ChangeUserSearch, type UserSearch } from './userSearch.ts'

const VideoChoice = onDemand(async () => (await import('./fields.tsx')).VideoChoice)
const VideoTitle = onDemand(async () => (await import('./fields.tsx')).VideoTitle)
const GroupChoice = onDemand(async () => (await import('./fields.tsx')).GroupChoice)
const GroupName = onDemand(async () => (await import('./fields.tsx')).GroupName)
const FieldChoice = onDemand(async () => (await import('./fields.tsx')).FieldChoice)
const PeopleCount = onDemand(async () => (await import('./fields.tsx')).PeopleCount)
const FieldText = onDemand(async () => (await import('./fields.tsx')).FieldText)

const seenOptions = seenChoices.map((value) => [value, seenNames[value]] as const)

type UserFilterInput = {
  orgId: string
  state: UserSearch
  change: ChangeUserSearch
  /** Only administrators may look a video up. */
  seesVideos: boolean
}

/** All that a list of people can be narrowed by. What names something by its id, and fields to type into, are fetched when they are seen. */
export function userFilters({ orgId, state, change, seesVideos }: UserFilterInput): readonly Filter[] {
  const { role, state: condition, group, seen, unwatched, field, from, until } = state
  return [
    choice({
      label: 'Role',
      none: 'All roles',
      options: roleFilters.map(
        (one) =>
          [one, roleLabels[one], <PeopleCount key={one} orgId={orgId} of="role" value={one} />] as const,
      ),
      value: role,
      onChange: (value) => change({ role: value }),
    }),
    choice({
      label: 'State',
      none: 'All states',
      options: states.map(
        (one) =>
          [
            one,
            userStates[one].word,
            <PeopleCount key={one} orgId={orgId} of="state" value={one} />,
          ] as const,
      ),
      value: condition,
      onChange: (value) => change({ state: value }),
    }),
    choice({
      label: 'Last in console',
      none: 'At any time, or never',
      options: seenOptions,
      value: seen,
      onChange: (value) => change({ seen: value }),
    }),
    {
      label: 'Group',
      chosen: group === undefined ? null : <GroupName orgId={orgId} id={group} />,
      clear: () => change({ group: undefined }),
      field: <GroupChoice orgId={orgId} value={group} onChange={(id) => change({ group: id })} />,
    },
    {
      label: 'Has not completed',
      chosen: unwatched === undefined ? null : <VideoTitle id={unwatched} />,
      clear: () => change({ unwatched: undefined }),
      field: seesVideos && (
        <VideoChoice orgId={orgId} value={unwatched} onChange={(id) => change({ unwatched: id })} />
      ),
    },
    {
      label: 'Own field',
      chosen: field === undefined ? null : <FieldText orgId={orgId} value={field} />,
      clear: () => change({ field: undefined }),
      field: <FieldChoice orgId={orgId} value={field} onChange={(value) => change({ field: value })} />,
    },
    dayFilter({
      label: 'Added from',
      value: from ?? '',
      onChange: (day) => change({ from: day || undefined }),
    }),
    dayFilter({
      label: 'Added until',
      value: until ?? '',
      onChange: (day) => change({ until: day || undefined }),
    }),
  ]
}

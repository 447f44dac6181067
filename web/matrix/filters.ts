import { trainingStates } from '#contract/matrix/standing.ts'
import { dayFilter } from '#web/lists/bar/dayFilter.tsx'
import { choice, type Filter } from '#web/lists/bar/filters.ts'
import { formatDay } from '#web/ui/format.ts'
import type { Page, Search } from './search.ts'
import { states } from '#web/ui/figures/standings.ts'

type Props = { state: Search; change: (patch: Partial<Search>) => void; page: Page | undefined }

/** Returns the filters that narrow the matrix. */
export function filtersOf({ state, change, page }: Props): readonly Filter[] {
  const named = (key: 'group' | 'project', label: string, none: string): Filter[] => {
    const options = (page?.[`${key}s`] ?? []).map(({ id, name }) => [id, name] as const)
    if (options.length === 0) return []
    return [
      choice({
        label,
        none,
        options,
        value: state[key],
        onChange: (id) => change({ [key]: id ?? '' }),
      }),
    ]
  }
  return [
    ...named('group', 'Group', 'All groups'),
    ...named('project', 'Project', 'All projects'),
    {
      label: 'Named in your mail of',
      chosen: state.toldOn ? formatDay(state.toldOn) : null,
      clear: () => change({ toldOn: '' }),
      field: null,
    },
    choice({
      label: 'State',
      none: 'All states',
      options: trainingStates.map((one) => [one, states[one].word] as const),
      value: state.state,
      onChange: (one) => change({ state: one ?? '' }),
    }),
    choice({
      label: 'Not completed',
      none: 'Completed or not',
      options: (page?.videos ?? []).map(({ id, title }) => [id, title] as const),
      value: state.open,
      onChange: (id) => change({ open: id ?? '' }),
    }),
    choice({
      label: 'Videos',
      none: 'Sent videos',
      options: [['any', 'Sent or watched']],
      value: state.videos === 'any' ? 'any' : '',
      onChange: (videos) => change({ videos: videos ?? 'assigned' }),
    }),
    ...(page?.pastDays || state.on !== ''
      ? [
          dayFilter({
            label: 'As it was at the end of',
            value: state.on,
            onChange: (on) => change({ on }),
            from: page?.pastDays?.first,
            until: page?.pastDays?.last,
          }),
        ]
      : []),
  ]
}

/** These filters show everybody again, with all that was sent. */
export const everything = {
  q: '',
  group: '',
  project: '',
  state: '',
  open: '',
  toldOn: '',
  videos: 'assigned',
  on: '',
} as const

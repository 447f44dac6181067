import { readSearch } from '#web/layout/page.ts'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { choiceFrom } from './choice.ts'
import { columnOrders, search, type Page, type Search } from './search.ts'

const sorts: Record<Search['sort'], string> = {
  name: 'Name A to Z',
  '-name': 'Name Z to A',
  done: 'Least completed first',
  '-done': 'Most completed first',
  '-overdue': 'Most overdue first',
  overdue: 'Least overdue first',
}

type Props = {
  state: Search
  change: (patch: Partial<Search>) => void
  page: Page | undefined
  isPhone: boolean
}

/** What narrows and orders the matrix. */
export function Filters({ state, change, page, isPhone }: Props) {
  const choice = (key: 'group' | 'project', all: string) => {
    const named = page?.[`${key}s`] ?? []
    if (named.length === 0) return null
    const options = named.map(({ id: value, name }) => ({ value, label: name }))
    return (
      <NativeChoice
        aria-label={key === 'group' ? 'Group' : 'Project'}
        value={state[key]}
        onChange={({ currentTarget }) => change({ [key]: currentTarget.value })}
        data={[{ value: '', label: all }, ...options]}
      />
    )
  }
  const pick = <Key extends 'videos' | 'sort' | 'order' | 'look'>(
    label: string,
    key: Key,
    words: Record<Search[Key], string>,
  ) => (
    <NativeChoice
      aria-label={label}
      value={state[key]}
      onChange={({ currentTarget }) => change(readSearch(search, { ...state, [key]: currentTarget.value }))}
      data={Object.entries<string>(words).map(([value, word]) => ({ value, label: word }))}
    />
  )
  const isOrdered = choiceFrom(state.cols).kind === 'only'
  const orders = Object.fromEntries(
    Object.entries(columnOrders).flatMap(([key, { label }]) =>
      key === 'chosen' && !isOrdered ? [] : [[key, label]],
    ),
  ) as Record<Search['order'], string>
  return (
    <>
      {choice('group', 'All groups')}
      {choice('project', 'All projects')}
      {page && page.videos.length > 0 && (
        <NativeChoice
          aria-label="Who has not completed a video"
          value={state.open}
          onChange={({ currentTarget }) => change({ open: currentTarget.value })}
          data={[
            { value: '', label: 'Completed or not' },
            ...page.videos.map(({ id: value, title }) => ({ value, label: `Not completed: ${title}` })),
          ]}
        />
      )}
      {pick('Videos', 'videos', { assigned: 'Sent videos', any: 'Sent or watched' })}
      {pick('Order of people', 'sort', sorts)}
      {!isPhone && pick('Order of videos', 'order', orders)}
      {!isPhone && pick('Look', 'look', { words: 'With words', signs: 'Signs only' })}
    </>
  )
}

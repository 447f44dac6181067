import { readSearch } from '#web/layout/page.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { choiceFrom } from './choice.ts'
import { columnOrders, search, type Search } from './search.ts'
import styles from './VideoPanel.module.css'

const sorts: Record<Search['sort'], string> = {
  name: 'Name A to Z',
  '-name': 'Name Z to A',
  done: 'Least completed first',
  '-done': 'Most completed first',
  '-overdue': 'Most late first',
  overdue: 'Least late first',
}

type Props = { state: Search; change: (patch: Partial<Search>) => void; isPhone: boolean }

/** Chooses in which order people and videos stand, and how a cell is drawn. */
export function Orders({ state, change, isPhone }: Props) {
  const pick = <Key extends 'sort' | 'order' | 'look'>(
    label: string,
    key: Key,
    words: Partial<Record<Search[Key], string>>,
  ) => (
    <NativeChoice
      label={label}
      value={state[key]}
      onChange={({ currentTarget }) => change(readSearch(search, { ...state, [key]: currentTarget.value }))}
      data={Object.entries<string | undefined>(words).map(([value, label = value]) => ({ value, label }))}
    />
  )
  const isOrdered = choiceFrom(state.cols).kind === 'only'
  const { chosen, ...always } = columnOrders
  const orders = Object.entries({ ...always, ...(isOrdered ? { chosen } : {}) })
  return (
    <div className={styles.orders}>
      {pick('Order of people', 'sort', sorts)}
      {!isPhone && (
        <>
          {pick(
            'Order of videos',
            'order',
            Object.fromEntries(orders.map(([key, { label }]) => [key, label])),
          )}
          {pick('Look', 'look', { words: 'With words', signs: 'Signs only' })}
        </>
      )}
    </div>
  )
}

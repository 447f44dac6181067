import { Button } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { Suspense, useState, type ReactNode } from 'react'
import { userStates as states } from '#contract/users.ts'
import { readSearch } from '#web/shell/page.ts'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { dialogOnDemand, onDemand } from '#web/ui/onDemand.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { userStates } from '../states.ts'
import { countRare, roleFilters, roleWords, userSearch, type Change, type UserSearch } from './userSearch.ts'

const MoreFilters = dialogOnDemand(async () => (await import('./MoreFilters.tsx')).MoreFilters)
const Chips = onDemand(async () => (await import('./Chips.tsx')).Chips)

const roleOptions = [
  { value: '', label: 'All roles' },
  ...roleFilters.map((value) => ({ value, label: roleWords[value] })),
]
const stateOptions = [
  { value: '', label: 'All states' },
  ...states.map((value) => ({ value, label: userStates[value].word })),
]

type Props = {
  orgId: string
  state: UserSearch
  change: Change
  /** What stands at the end of the line. */
  children: ReactNode
}

/** Search, role and state at hand; everything else behind a button, and in sight once it is chosen. */
export function UserFilters({ orgId, state, change, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const rare = countRare(state)
  return (
    <>
      <FilterBar>
        <SearchField label="Search people" value={state.q} onSearch={(q) => change({ q })} />
        <NativeChoice
          className="org-filter"
          aria-label="Role"
          data={roleOptions}
          value={state.role ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ role: readSearch(userSearch, { role: value }).role })
          }
        />
        <NativeChoice
          className="org-filter"
          aria-label="State"
          data={stateOptions}
          value={state.state ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ state: readSearch(userSearch, { state: value }).state })
          }
        />
        <Button
          variant="default"
          aria-haspopup="dialog"
          leftSection={<IconFilter size={16} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          {rare > 0 ? `Filters (${rare})` : 'Filters'}
        </Button>
        <div className="ui-filters-end">{children}</div>
      </FilterBar>
      {(rare > 0 || state.role || state.state) && (
        <Suspense fallback={<div className="org-chips" />}>
          <Chips orgId={orgId} state={state} change={change} />
        </Suspense>
      )}
      {isOpen && (
        <Suspense>
          <MoreFilters orgId={orgId} state={state} change={change} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

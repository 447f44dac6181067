import { Button } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { userStates as states } from '#contract/users.ts'
import { FilterChoice } from '#web/ui/FilterChoice.tsx'
import { dialogOnDemand, onDemand } from '#web/ui/onDemand.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { userStates } from '../../organizations/states.ts'
import { countRare, roleFilters, roleLabels, type Change, type UserSearch } from './userSearch.ts'

const MoreFilters = dialogOnDemand(async () => (await import('./MoreFilters.tsx')).MoreFilters)
const Chips = onDemand(async () => (await import('./Chips.tsx')).Chips)

const roleOptions = roleFilters.map((value) => [value, roleLabels[value]] as const)
const stateOptions = states.map((value) => [value, userStates[value].word] as const)

type Props = { orgId: string; state: UserSearch; change: Change }

/** Search, role and state at hand; everything else behind a button. */
export function UserFilters({ orgId, state, change }: Props) {
  const [isOpen, setOpen] = useState(false)
  const rare = countRare(state)
  return (
    <>
      <SearchField label="Search people" value={state.q} onSearch={(q) => change({ q })} />
      <FilterChoice
        label="Role"
        none="All roles"
        options={roleOptions}
        value={state.role}
        onChange={(role) => change({ role })}
      />
      <FilterChoice
        label="State"
        none="All states"
        options={stateOptions}
        value={state.state}
        onChange={(value) => change({ state: value })}
      />
      <Button
        variant="default"
        aria-haspopup="dialog"
        leftSection={<IconFilter size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {rare > 0 ? `Filters (${rare})` : 'Filters'}
      </Button>
      {isOpen && (
        <Suspense>
          <MoreFilters orgId={orgId} state={state} change={change} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The filters that are on, in sight also where they were chosen behind the button. */
export function UserChips({ orgId, state, change }: Props) {
  if (countRare(state) === 0 && !state.role && !state.state) return null
  return (
    <Suspense fallback={<div className="org-chips" />}>
      <Chips orgId={orgId} state={state} change={change} />
    </Suspense>
  )
}

import {
  IconCrown,
  IconCrownOff,
  IconHistory,
  IconPencil,
  IconUserMinus,
  IconUserPlus,
  IconUsersPlus,
  IconUsersMinus,
  type Icon,
} from '@tabler/icons-react'
import * as z from 'zod/mini'
import { authorName, readGroupHistory, type GroupEvent } from '#contract/directory/members.ts'
import type { MembershipCause } from '#contract/directory/membership.ts'
import { useList } from '../api/query.ts'
import { usePageSearch } from '../layout/page.ts'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { Lines } from '../ui/Lines.tsx'
import { NativeChoice } from '../ui/fields/NativeChoice.tsx'
import { Pager } from '../ui/table/Pager.tsx'
import { Bone } from '../ui/feedback/Skeletons.tsx'
import { RelativeTime } from '../ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'

const historySearch = z.object({
  show: z.catch(z.enum(['all', 'members', 'group']), 'all'),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

/** Who came and left, by whom and why, and what was changed about the group. */
export function History({ orgId, groupId }: { orgId: string; groupId: string }) {
  const [{ show, offset }, change] = usePageSearch(historySearch)
  const query = { show, offset, limit: 50 }
  const { page, error, retry, isStale } = useList(readGroupHistory, { params: { orgId, groupId }, query })
  if (error) return <NotRead error={error} retry={retry} />
  return (
    <section aria-label="History">
      <FilterBar>
        <NativeChoice
          aria-label="Show"
          value={show}
          onChange={(event) =>
            change({ show: historySearch.parse({ show: event.currentTarget.value }).show })
          }
          data={[
            { value: 'all', label: 'Everything' },
            { value: 'members', label: 'Members only' },
            { value: 'group', label: 'The group only' },
          ]}
        />
      </FilterBar>
      {!page && <Bone height={320} />}
      {page && page.items.length === 0 && (
        <div className={shapes.card}>
          <EmptyState title="Nothing has happened yet" icon={<IconHistory size={24} />}>
            Everybody who comes or leaves appears here, with who did it and why.
          </EmptyState>
        </div>
      )}
      {page && page.items.length > 0 && (
        <>
          <Lines isCard isBusy={isStale}>
            {page.items.map((event) => (
              <Event key={event.id} event={event} />
            ))}
          </Lines>
          <Pager {...page} onOffset={(next) => change({ offset: next })} />
        </>
      )}
    </section>
  )
}

const icons: Record<GroupEvent['change'], Icon> = {
  added: IconUserPlus,
  removed: IconUserMinus,
  groupadmin: IconCrown,
  no_groupadmin: IconCrownOff,
  created: IconUsersPlus,
  changed: IconPencil,
  group_removed: IconUsersMinus,
}

function Event({ event }: { event: GroupEvent }) {
  const Shown = icons[event.change]
  const why = whyOf(event)
  return (
    <li>
      <Shown size={18} aria-hidden />
      <div>
        <p>{whatOf(event)}</p>
        {why && <small>{why}</small>}
      </div>
      <RelativeTime iso={event.at} />
    </li>
  )
}

const parts = { name: 'the name', description: 'the description', rule: 'who is in it' } as const

function whatOf({ change, member, changed, names }: GroupEvent): string {
  const who = member?.name ?? 'Somebody'
  if (change === 'added') return `${who} came into the group`
  if (change === 'removed') return `${who} left the group`
  if (change === 'groupadmin') return `${who} was made group administrator of the group`
  if (change === 'no_groupadmin') return `${who} is no longer group administrator of the group`
  if (change === 'created') return 'The group was created'
  if (change === 'group_removed') return 'The group was removed'
  if (names && changed.length === 1) return `The group was renamed from ${names.before} to ${names.after}`
  return changed.length === 0
    ? 'The group was saved without a change'
    : `Changed: ${changed.map((part) => parts[part]).join(', ')}`
}

const causes: Record<MembershipCause, string> = {
  manual: '',
  rule: 'By the rule of the group',
  import: 'with an imported file',
  bulk: 'together with others',
  undo: 'by undoing a change',
  invitation: 'By accepting an invitation',
  sign_in: 'By what the company’s own sign-in says',
  removal: 'because the person was removed',
  system: 'From before the history was kept, or by the product itself',
}

function whyOf({ cause, by }: GroupEvent): string {
  const words = cause === null ? '' : causes[cause]
  if (cause === 'rule' || cause === 'invitation' || cause === 'sign_in' || !by) return words
  return words === '' || cause === 'system' ? `By ${authorName(by)}` : `By ${authorName(by)}, ${words}`
}

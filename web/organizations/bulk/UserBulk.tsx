import { IconMailForward, IconTrash, IconUserCheck, IconUserOff, IconUsersGroup } from '@tabler/icons-react'
import { useState } from 'react'
import { changeUsers, previewUsers, type UserAction } from '#contract/directory/bulk.ts'
import type { UserFilter, UserSelection } from '#contract/directory/users.ts'
import { useChange } from '../../api/query.ts'
import { plural } from '../../ui/format.ts'
import { nothingSelected } from '../../ui/table/selection.ts'
import { SelectionBar } from '../../ui/table/SelectionBar.tsx'
import { Act } from '#web/lists/bulk/Act.tsx'
import { BulkDialog, type Bulk } from '#web/lists/bulk/BulkDialog.tsx'
import { GroupChoice, type GroupChange } from './GroupChoice.tsx'
import { WriteTo } from './WriteTo.tsx'
import { previewOf, type BarProps } from '#web/lists/bulk/selected.ts'

type Ask = 'remove' | 'disable' | 'enable' | 'invite' | 'groups'

type Props = BarProps & {
  orgId: string
  filter: UserFilter
  /** In the list of one group's members: nothing else can be done there. */
  group?: { id: string; name: string }
}

/** Removing, in every dialog that does it. */
const evidenceStays = (
  <p>
    They receive nothing any more, leave their groups, and who signs in is signed out at once. What they have
    watched and were sent stays as evidence: for 30 days under their names, in which this can be undone, then
    under a pseudonym.
  </p>
)

type Wording = Omit<Bulk, 'preview' | 'begin'>

const wordings: Record<Exclude<Ask, 'groups'>, Wording> = {
  remove: {
    title: 'Remove people?',
    button: (n) => `Remove ${plural(n, 'person', 'people')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'person', 'people')}</strong> will be removed.
      </>
    ),
    isDangerous: true,
    consequences: evidenceStays,
  },
  disable: {
    title: 'Disable people?',
    button: (n) => `Disable ${plural(n, 'person', 'people')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'person', 'people')}</strong> will be disabled.
      </>
    ),
    consequences: <p>They receive nothing and cannot sign in until they are enabled again.</p>,
  },
  enable: {
    title: 'Enable people?',
    button: (n) => `Enable ${plural(n, 'person', 'people')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'person', 'people')}</strong> will be enabled.
      </>
    ),
    consequences: <p>Who may sign in and has no password yet gets an invitation by mail.</p>,
  },
  invite: {
    title: 'Send invitations?',
    button: (n) => `Invite ${plural(n, 'person', 'people')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'person', 'people')}</strong> {n === 1 ? 'gets' : 'get'} an invitation by mail.
      </>
    ),
    consequences: <p>A link that waits already is replaced by a new one with all its days.</p>,
  },
}

function wordingOf(ask: Ask, chosen: GroupChange): Wording {
  if (ask !== 'groups') return wordings[ask]
  const name = chosen.group?.name ?? 'the group'
  return chosen.action === 'add_to_group'
    ? {
        title: 'Change groups',
        button: (n) => `Put in ${plural(n, 'person', 'people')}`,
        willBe: (n) => (
          <>
            <strong>{plural(n, 'person', 'people')}</strong> {n === 1 ? 'comes' : 'come'} into {name}.
          </>
        ),
      }
    : {
        title: 'Change groups',
        button: (n) => `Take out ${plural(n, 'person', 'people')}`,
        willBe: (n) => (
          <>
            <strong>{plural(n, 'person', 'people')}</strong> {n === 1 ? 'leaves' : 'leave'} {name}.
          </>
        ),
      }
}

function actionOf(ask: Ask, { action, group }: GroupChange): UserAction | undefined {
  switch (ask) {
    case 'remove':
    case 'invite':
      return { action: ask }
    case 'disable':
      return { action: 'change', state: 'disabled' }
    case 'enable':
      return { action: 'change', state: 'active' }
    case 'groups':
      return group && { action, groupId: group.id }
  }
}

/** The bar of a list of people with what can be done to those who are selected. */
export function UserBulk({ orgId, filter, group, ...bar }: Props) {
  const { selection, onSelect } = bar
  const [ask, setAsk] = useState<Ask>()
  const [chosen, choose] = useState<GroupChange>({
    action: group ? 'remove_from_group' : 'add_to_group',
    group,
  })
  const begin = useChange(changeUsers)
  const close = () => setAsk(undefined)
  const action = ask && actionOf(ask, chosen)
  const selected = (expected: number): UserSelection =>
    selection.isAll ? { filter, exceptIds: [...selection.ids], expected } : { userIds: [...selection.ids] }
  const send = (expected: number, asked: UserAction) => ({
    params: { orgId },
    body: { selection: selected(expected), do: asked },
  })
  return (
    <>
      <SelectionBar {...bar}>
        {group ? (
          <Act icon={IconUsersGroup} label="Take out of the group" onClick={() => setAsk('groups')} />
        ) : (
          <>
            <WriteTo {...{ orgId, filter, selection }} total={bar.total} />
            <Act icon={IconUsersGroup} label="Groups" onClick={() => setAsk('groups')} />
            <Act icon={IconMailForward} label="Invite" onClick={() => setAsk('invite')} />
            <Act icon={IconUserCheck} label="Enable" onClick={() => setAsk('enable')} />
            <Act icon={IconUserOff} label="Disable" onClick={() => setAsk('disable')} />
            <Act icon={IconTrash} label="Remove" isDangerous onClick={() => setAsk('remove')} />
          </>
        )}
      </SelectionBar>
      {ask && (
        <BulkDialog
          key={ask}
          {...wordingOf(ask, chosen)}
          preview={action && previewOf(previewUsers, send(0, action))}
          begin={(expected) =>
            action ? begin.mutateAsync(send(expected, action)) : Promise.reject(new Error('nothing chosen'))
          }
          onBegun={() => onSelect(nothingSelected)}
          onClose={close}
        >
          {ask === 'groups' && !group && <GroupChoice orgId={orgId} chosen={chosen} onChoose={choose} />}
        </BulkDialog>
      )}
    </>
  )
}

import {
  IconMailForward,
  IconTrash,
  IconUserCheck,
  IconUserOff,
  IconUsersGroup,
  IconPencil,
} from '@tabler/icons-react'
import { useState } from 'react'
import { changeUsers, previewUsers, type UserAction } from '#contract/directory/bulk.ts'
import { type UserFilter, type UserSelection, listUsers } from '#contract/directory/users.ts'
import { useChange, useList } from '../../api/query.ts'
import { plural, formatNumber } from '../../ui/format.ts'
import { nothingSelected, countSelected, isSelected, mostIds } from '../../ui/table/selection.ts'
import { SelectionBar } from '../../ui/table/SelectionBar.tsx'
import { Act } from '#web/lists/bulk/Act.tsx'
import { BulkDialog, type Bulk } from '#web/lists/bulk/BulkDialog.tsx'
import { previewOf, type BarProps } from '#web/lists/bulk/selected.ts'
import { Radio, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { listGroups } from '#contract/directory/groups.ts'
import '../../ui/fields/fields.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { useNavigate } from '@tanstack/react-router'
import { createDraft } from '#contract/transmissions/drafts.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { useBusy } from '#web/api/attempt.ts'
import { afterIn, call } from '#web/api/client.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { paths } from '../../paths.ts'

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

type GroupChange = {
  action: 'add_to_group' | 'remove_from_group'
  group: { id: string; name: string } | undefined
}

type GroupChoiceProps = { orgId: string; chosen: GroupChange; onChoose: (next: GroupChange) => void }

/** Into which group, or out of which one; the server looks for it while one types. */
function GroupChoice({ orgId, chosen, onChoose }: GroupChoiceProps) {
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  // What was chosen stands in the field as its text, which is no search.
  const { page } = useList(listGroups, {
    params: { orgId },
    query: { q: q === chosen.group?.name ? '' : q, limit: 50 },
  })
  const groups = new Map((page?.items ?? []).map(({ id, name }) => [id, name]))
  if (chosen.group) groups.set(chosen.group.id, chosen.group.name)
  return (
    <div className={shapes.stack}>
      <Radio.Group
        label="What to do"
        value={chosen.action}
        onChange={(action) =>
          onChoose({ ...chosen, action: action === 'add_to_group' ? action : 'remove_from_group' })
        }
      >
        <div className={shapes.stack}>
          <Radio value="add_to_group" label="Put into a group" />
          <Radio value="remove_from_group" label="Take out of a group" />
        </div>
      </Radio.Group>
      <Select
        label="Group"
        placeholder="Search by name"
        data={Array.from(groups, ([value, label]) => ({ value, label }))}
        value={chosen.group?.id ?? null}
        onChange={(id) => onChoose({ ...chosen, group: id ? { id, name: groups.get(id) ?? '' } : undefined })}
        searchable
        searchValue={text}
        onSearchChange={setText}
        filter={({ options }) => options}
        maxDropdownHeight={200}
        nothingFoundMessage={q === '' ? 'There is no group yet' : 'No group has this name'}
      />
    </div>
  )
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

type WriteToProps = Pick<BarProps, 'selection' | 'total'> & { orgId: string; filter: UserFilter }

/** People of one request. */
const step = 100

/** By name, those that the list finds and are selected. */
async function findSelected({ orgId, filter, selection }: WriteToProps): Promise<string[]> {
  const found: string[] = []
  let after: string | undefined
  do {
    const query = { ...filter, limit: step, after }
    const { items, next } = await call(listUsers, { params: { orgId }, query })
    found.push(...items.flatMap(({ id }) => (isSelected(selection, id) ? [id] : [])))
    after = afterIn(next)
  } while (after)
  return found
}

/** All but a few, whoever they are. */
const isEverybody = ({ filter, selection }: WriteToProps) =>
  selection.isAll && !Object.values(filter).some(Boolean)

/** Whoever is selected, as the audience of a transmission. */
async function audienceOf(chosen: WriteToProps) {
  const ids = [...chosen.selection.ids]
  if (isEverybody(chosen)) return { everyone: true, exceptUserIds: ids }
  return { userIds: chosen.selection.isAll ? await findSelected(chosen) : ids }
}

/** Begins a transmission to the people who are selected, as a draft. */
function WriteTo(chosen: WriteToProps) {
  const { orgId, selection, total } = chosen
  const navigate = useNavigate()
  const begin = useChange(createDraft, [listTransmissions])
  const [isBusy, run] = useBusy()
  const write = () =>
    run(async () => {
      const body = { accountId: orgId, videoId: null, body: '', audience: await audienceOf(chosen) }
      const { id } = await begin.mutateAsync({ body })
      await navigate({ to: paths.transmissionEdit(id) })
    })
  const press = () => {
    if (isEverybody(chosen) || countSelected(selection, total) <= mostIds) return void write()
    toast.failure(
      `At most ${formatNumber(mostIds)} people are written to from here. Put more into a group, and write to the group.`,
    )
  }
  return <Act icon={IconPencil} label="Write to them" isBusy={isBusy} onClick={press} />
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

import { useNavigate } from '@tanstack/react-router'
import { useRef, useState, type ReactNode } from 'react'
import { listFields } from '#contract/directory/fields.ts'
import { listMissed } from '#contract/person/missed.ts'
import {
  createUser,
  listUsers,
  readUser,
  updateUser,
  UserInput,
  type User,
} from '#contract/directory/users.ts'
import { findRemoved, restoreUser, type RemovedUser } from '#contract/directory/removed-users.ts'
import { useEditForm } from '../api/forms/editForm.ts'
import { Unsettled, useContractForm } from '../api/forms/form.ts'
import { fetchFresh, useChange, useEndpoint } from '../api/query.ts'
import { showingInRows } from '../api/rows.ts'
import { useMailRests } from '../layout/OutboxNote.tsx'
import { UnsavedGuard } from '../layout/UnsavedGuard.tsx'
import { FormLayout } from '../ui/fields/FormLayout.tsx'
import { plural } from '../ui/format.ts'
import { toast } from '../ui/feedback/toasts.ts'
import { paths } from '../paths.ts'
import { sendMissedLabel } from './missedLabel.ts'
import { userEndpoints } from './RemoveUser.tsx'
import { labelsFor, normalize, UserFields, valuesOf, words, type UserValues } from './UserFields.tsx'
import { NewForm, useAnother } from '../organizations/forms/NewForm.tsx'
import { undoChange } from '../organizations/forms/undoChange.ts'
import { Button } from '@mantine/core'
import { Notice } from '../ui/feedback/Notice.tsx'
import { RelativeTime } from '../ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'

const never = () => false

type EditProps = {
  orgId: string
  user: User
  /** Whether the person was removed meanwhile, so that leaving loses nothing. */
  isGone?: () => boolean
  onSaved: () => Promise<void> | void
}

/** The form of a person, on its page and over the list. */
export function EditUserForm({ orgId, user, isGone = never, onSaved }: EditProps) {
  const { id } = user
  const params = { orgId, userId: id }
  const navigate = useNavigate()
  const update = useChange(updateUser, [...userEndpoints, readUser, listMissed])
  const fields = useEndpoint(listFields, { params: { orgId } }).items
  const form = useEditForm({
    what: 'this person',
    schema: UserInput,
    labels: labelsFor(fields),
    loaded: user,
    read: () => fetchFresh(readUser, { params }),
    valuesOf: (read) => valuesOf(read, fields),
    words,
    normalize,
    draft: `user:${id}`,
    trace: { entity: 'user', entityId: id },
    async save(body, condition) {
      const saved = await showingInRows(listUsers, shownOf(id, body), () =>
        update.mutateAsync({ params, body, ...condition }),
      )
      const before = condition.ifMatch
      const restore = () => update.mutateAsync({ params, body: valuesOf(before, fields), ifMatch: saved })
      const missed = before.email === saved.email ? 0 : await countMissed(params)
      if (missed > 0)
        toast.success(`${saved.name} was saved. ${missedText(missed, before.email)}`, {
          label: sendMissedLabel(missed),
          run: () => void navigate({ to: paths.person(orgId, id), search: { missed: true } }),
        })
      else
        toast.success(
          `${saved.name} was saved.`,
          isSameAccess(before, saved) ? undoChange(saved.name, restore) : undefined,
        )
      return saved
    },
    onSaved: async () => onSaved(),
  })
  return (
    <>
      <FormLayout {...form.layout} submitLabel="Save changes">
        <UserFields form={form} orgId={orgId} user={form.base} />
      </FormLayout>
      <UnsavedGuard isDirty={() => !isGone() && form.isDirty()} isKept />
    </>
  )
}

/** How many messages would reach them at the new address; that it is not known keeps nobody from saving. */
async function countMissed(params: { orgId: string; userId: string }): Promise<number> {
  try {
    return (await fetchFresh(listMissed, { params })).items.length
  } catch {
    return 0
  }
}

const missedText = (n: number, address: string) =>
  `${plural(n, 'message', 'messages')} did not reach ${address || 'them'}.`

function shownOf(id: string, values: UserValues) {
  const { name, email, phone, externalId, language, timeZone, manager, role, state } = values
  return {
    id,
    name,
    email,
    phone,
    externalId,
    language,
    timeZone,
    manager,
    role,
    ...(state ? { state } : {}),
  }
}

/** Another address, role or state ends sessions and sends invitations, which no undo brings back. */
function isSameAccess(before: User, after: User): boolean {
  return before.email === after.email && before.role === after.role && before.state === after.state
}

type Choice = 'restore' | 'add'
type Props = { user: RemovedUser; onChoose: (choice: Choice) => void }

/** Before somebody is added by the address of a person who was removed: added anew, what that person completed is not theirs. */
function ComesAgain({ user: { name, removedAt, completed }, onChoose }: Props) {
  return (
    <div tabIndex={-1} data-error-summary>
      <Notice
        tone="warning"
        role="alert"
        action={
          <div className={shapes.row}>
            <Button onClick={() => onChoose('restore')}>Bring {name} back</Button>
            <Button variant="default" onClick={() => onChoose('add')}>
              Add somebody new
            </Button>
          </div>
        }
      >
        {name} had this address and was removed <RelativeTime iso={removedAt} />.{' '}
        {completed > 0 && `${plural(completed, 'video')} completed by them would count again.`} Brought back,
        they are as they were, with their groups; somebody new begins with nothing.
      </Notice>
    </div>
  )
}

/** What is to become of an address that somebody had who was removed; it holds for that address alone. */
const nothingChosen: { choice: Choice | null; email: string } = { choice: null, email: '' }

type NewProps = {
  orgId: string
  cancel: ReactNode
  /** Offers to go on with the next person. */
  hasAnother?: boolean
  onSaved: (said: string, isAnother: boolean) => Promise<void> | void
}

function addedText(name: string, isInvited: boolean, rests: boolean): string {
  if (!isInvited) return `${name} was added.`
  return rests
    ? `${name} was added. The invitation rests in the outbox, because no mail server is set up.`
    : `${name} was added. An invitation is on its way by mail.`
}

/** The form of a new person, on its page and over the list. */
export function NewUserForm({ orgId, cancel, hasAnother = false, onSaved }: NewProps) {
  const create = useChange(createUser, userEndpoints)
  const restore = useChange(restoreUser, userEndpoints)
  const [removed, setRemoved] = useState<RemovedUser | null>(null)
  const chosen = useRef(nothingChosen)
  const fields = useEndpoint(listFields, { params: { orgId } }).items
  const another = useAnother()
  const rests = useMailRests()
  const form = useContractForm({
    schema: UserInput,
    initialValues: valuesOf(undefined, fields),
    labels: labelsFor(fields),
    draft: `user:new:${orgId}`,
    async save(body) {
      const { choice, email } = chosen.current
      chosen.current = nothingChosen
      if (choice === 'add' && email === body.email) return create.mutateAsync({ params: { orgId }, body })
      const { user } = await fetchFresh(findRemoved, { params: { orgId }, query: { email: body.email } })
      setRemoved(user)
      if (!user) return create.mutateAsync({ params: { orgId }, body })
      if (choice !== 'restore' || email !== body.email) throw new Unsettled()
      return restore.mutateAsync({ params: { orgId, userId: user.id } })
    },
    async onSaved({ id, name, state }) {
      const said = id === removed?.id ? `${name} is back.` : addedText(name, state === 'invited', rests)
      setRemoved(null)
      await onSaved(said, another.isWanted())
    },
  })
  const choose = (choice: Choice) => {
    chosen.current = { choice, email: form.form.getValues().email }
    form.layout.onSubmit()
  }
  return (
    <NewForm {...{ form, another, cancel }} hasAnother={hasAnother} submitLabel="Add a person">
      {removed && <ComesAgain user={removed} onChoose={choose} />}
      <UserFields form={form} orgId={orgId} />
    </NewForm>
  )
}

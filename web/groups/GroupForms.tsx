import type { ReactNode } from 'react'
import { createGroup, listGroups, readGroup, updateGroup, type Group } from '#contract/directory/groups.ts'
import { useEditForm } from '../api/forms/editForm.ts'
import { useContractForm } from '../api/forms/form.ts'
import { fetchFresh, useChange } from '../api/query.ts'
import { showingInRows } from '../api/rows.ts'
import { UnsavedGuard } from '../layout/UnsavedGuard.tsx'
import { FormLayout } from '../ui/fields/FormLayout.tsx'
import { toast } from '../ui/feedback/toasts.ts'
import { bodyOf, GroupFields, GroupForm, labels, useMayRule, valuesOf, words } from './GroupFields.tsx'
import { memberEndpoints } from './endpoints.ts'
import { userEndpoints } from '../people/RemoveUser.tsx'
import { NewForm, useAnother } from '../organizations/forms/NewForm.tsx'
import { undoChange } from '../organizations/forms/undoChange.ts'

const never = () => false

type EditProps = {
  group: Group
  /** Whether the group was removed meanwhile, so that leaving loses nothing. */
  isGone?: () => boolean
  onSaved: () => Promise<void> | void
}

/** The form of a group, on its page and over the list. */
export function EditGroupForm({ group, isGone = never, onSaved }: EditProps) {
  const { organizationId, id } = group
  const params = { orgId: organizationId, groupId: id }
  const update = useChange(updateGroup, memberEndpoints)
  const mayRule = useMayRule()
  const form = useEditForm({
    what: 'this group',
    schema: GroupForm,
    labels,
    loaded: group,
    read: () => fetchFresh(readGroup, { params }),
    valuesOf: (read) => valuesOf(read, mayRule),
    words,
    draft: `group:${id}`,
    trace: { entity: 'group', entityId: id },
    async save(values, condition) {
      const { name, description } = values
      const saved = await showingInRows(listGroups, { id, name, description }, () =>
        update.mutateAsync({ params, body: bodyOf(values), ...condition }),
      )
      const body = bodyOf(valuesOf(condition.ifMatch, mayRule))
      const restore = () => update.mutateAsync({ params, body, ifMatch: saved })
      toast.success(`${saved.name} was saved.`, undoChange(saved.name, restore))
      return saved
    },
    onSaved: async () => onSaved(),
  })
  return (
    <>
      <FormLayout {...form.layout} submitLabel="Save changes">
        <GroupFields form={form} orgId={organizationId} groupId={id} />
      </FormLayout>
      <UnsavedGuard isDirty={() => !isGone() && form.isDirty()} isKept />
    </>
  )
}

type NewProps = {
  orgId: string
  cancel: ReactNode
  /** Offers to go on with the next group. */
  hasAnother?: boolean
  onSaved: (created: Group, isAnother: boolean) => Promise<void> | void
}

/** The form of a new group, on its page and over the list. */
export function NewGroupForm({ orgId, cancel, hasAnother = false, onSaved }: NewProps) {
  const create = useChange(createGroup, userEndpoints)
  const mayRule = useMayRule()
  const another = useAnother()
  const form = useContractForm({
    schema: GroupForm,
    initialValues: valuesOf(undefined, mayRule),
    labels,
    draft: `group:new:${orgId}`,
    save: (values) => create.mutateAsync({ params: { orgId }, body: bodyOf(values) }),
    onSaved: async (created) => onSaved(created, another.isWanted()),
  })
  return (
    <NewForm
      {...{ form, another, cancel }}
      hasAnother={hasAnother}
      submitLabel={hasAnother || form.form.values.rule ? 'Add a group' : 'Add and choose members'}
    >
      <GroupFields form={form} orgId={orgId} />
    </NewForm>
  )
}

/** What is said of a new group. */
export function createdText({ name, kind }: Group): string {
  return kind === 'rule'
    ? `${name} was created. Its rule keeps it up to date.`
    : `${name} was created. Now choose who is in it.`
}

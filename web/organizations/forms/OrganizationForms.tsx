import type { ReactNode } from 'react'
import {
  createOrganization,
  listOrganizations,
  OrganizationInput,
  readDashboard,
  readOrganization,
  updateOrganization,
  type Organization,
} from '#contract/directory/organizations.ts'
import { useEditForm } from '../../api/forms/editForm.ts'
import { useContractForm } from '../../api/forms/form.ts'
import { fetchFresh, useChange } from '../../api/query.ts'
import { showingInRows } from '../../api/rows.ts'
import { OrganizationFields } from '../settings/OrganizationFields.tsx'
import { labels, valuesOf, words } from '../settings/values.ts'
import { UnsavedGuard } from '../../layout/UnsavedGuard.tsx'
import { working } from '../../session/workingOrganization.ts'
import { FormLayout } from '../../ui/fields/FormLayout.tsx'
import { toast } from '../../ui/feedback/toasts.ts'
import { NewForm, useAnother } from './NewForm.tsx'
import { undoChange } from './undoChange.ts'

type EditProps = { organization: Organization; onSaved: (saved: Organization) => Promise<void> | void }

/** The form of an organization, on its page and over the list. */
export function EditOrganizationForm({ organization: { id }, organization, onSaved }: EditProps) {
  const params = { orgId: id }
  const update = useChange(updateOrganization, [listOrganizations, readOrganization])
  const form = useEditForm({
    what: 'this organization',
    schema: OrganizationInput,
    labels,
    loaded: organization,
    read: () => fetchFresh(readOrganization, { params }),
    valuesOf,
    words,
    draft: `organization:${id}`,
    trace: { entity: 'organization', entityId: id },
    async save(body, condition) {
      const saved = await showingInRows(listOrganizations, { id, name: body.name }, () =>
        update.mutateAsync({ params, body, ...condition }),
      )
      const before = valuesOf(condition.ifMatch)
      const restore = () => update.mutateAsync({ params, body: before, ifMatch: saved })
      toast.success(
        `${saved.name} was saved.`,
        isSameRecord(before, valuesOf(saved)) ? undoChange(saved.name, restore) : undefined,
      )
      return saved
    },
    onSaved: async (saved) => onSaved(saved),
  })
  return (
    <>
      <FormLayout {...form.layout} submitLabel="Save changes">
        <OrganizationFields form={form} orgId={id} logo={organization.logo} />
      </FormLayout>
      <UnsavedGuard isDirty={form.isDirty} isKept />
    </>
  )
}

type Values = ReturnType<typeof valuesOf>

/** What is deleted because it is recorded, or kept, no longer does not come back. */
function isSameRecord({ policies: before }: Values, { policies: after }: Values): boolean {
  return before.trackingMode === after.trackingMode && before.retentionMonths === after.retentionMonths
}

type NewProps = {
  cancel: ReactNode
  /** Over the list one may go on with the next organization. */
  hasAnother?: boolean
  onSaved: (created: Organization, isAnother: boolean) => Promise<void> | void
}

/** The form of a new organization, on its page and over the list. */
export function NewOrganizationForm({ cancel, hasAnother = false, onSaved }: NewProps) {
  const create = useChange(createOrganization, [listOrganizations, readDashboard])
  const another = useAnother()
  const form = useContractForm({
    schema: OrganizationInput,
    initialValues: valuesOf(),
    labels,
    draft: 'organization:new',
    save: (body) => create.mutateAsync({ body }),
    onSaved: async (created) => {
      // Who creates an organization means to work in it.
      working.choose(created.id)
      await onSaved(created, another.isWanted())
    },
  })
  return (
    <NewForm {...{ form, another, cancel, hasAnother }} submitLabel="Add an organization">
      <OrganizationFields form={form} />
    </NewForm>
  )
}

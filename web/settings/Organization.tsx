import { useQuery } from '@tanstack/react-query'
import {
  readOrganization,
  SettingsInput,
  updateOrganizationSettings,
  type Organization as OrganizationData,
} from '#contract/directory/organizations.ts'
import { useEditForm } from '#web/api/forms/editForm.ts'
import { fetchFresh, queryOf, useChange } from '#web/api/query.ts'
import { LogoField } from '#web/organizations/settings/LogoField.tsx'
import { OrganizationFields } from '#web/organizations/settings/OrganizationFields.tsx'
import { Sender } from '#web/organizations/settings/Sender.tsx'
import { labels, valuesOf, words } from '#web/organizations/settings/values.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { useUser } from '#web/session/useSession.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { tellFrame } from './ProfileForm.tsx'

/** The own organization, as far as its administrators decide about it. */
export function Organization() {
  const orgId = useUser().organizationId ?? ''
  const { data, error, refetch } = useQuery(queryOf(readOrganization, { params: { orgId } }))
  if (!data) return <NotRead error={error} retry={() => void refetch()} height={480} />
  return (
    <>
      <LogoField organization={data} />
      <Form organization={data} />
      <Sender orgId={orgId} />
    </>
  )
}

function Form({ organization }: { organization: OrganizationData }) {
  const params = { orgId: organization.id }
  const update = useChange(updateOrganizationSettings, [readOrganization])
  const form = useEditForm({
    what: 'your organization',
    schema: SettingsInput,
    labels,
    loaded: organization,
    read: () => fetchFresh(readOrganization, { params }),
    valuesOf,
    words,
    draft: `organization:${organization.id}`,
    trace: { entity: 'organization', entityId: organization.id },
    save: (body, condition) => update.mutateAsync({ params, body, ...condition }),
    async onSaved() {
      toast.success('Your organization was saved.')
      await tellFrame()
    },
  })
  return (
    <>
      <FormLayout {...form.layout} submitLabel="Save changes">
        <OrganizationFields form={form} orgId={organization.id} logo={organization.logo} />
      </FormLayout>
      <UnsavedGuard isDirty={form.isDirty} isKept />
    </>
  )
}

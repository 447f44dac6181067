import { useNavigate } from '@tanstack/react-router'
import { Suspense } from 'react'
import {
  listOrganizations,
  OrganizationInput,
  readOrganization,
  updateOrganization,
  type Organization,
} from '#contract/organizations.ts'
import { useEditForm } from '../api/editForm.ts'
import { fetchFresh, useChange, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePathParam, type LoadInput } from '../shell/page.ts'
import { UnsavedGuard } from '../shell/UnsavedGuard.tsx'
import { FormLayout } from '../ui/FormLayout.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { onDemand } from '../ui/onDemand.tsx'
import { Bone } from '../ui/Skeletons.tsx'
import { toast } from '../ui/toasts.ts'
import { organizationCrumbs } from './crumbs.tsx'
import { LogoField } from '../shell/organization/LogoField.tsx'
import { HistoryLink } from './HistoryLink.tsx'
import { StateCard } from './OrganizationState.tsx'
import { OrganizationFields } from '../shell/organization/OrganizationFields.tsx'
import { labels, valuesOf, words } from '../shell/organization/values.ts'
import { useVisit } from '../shell/useVisit.ts'

const FieldsEditor = onDemand(async () => (await import('../shell/fields/FieldsEditor.tsx')).FieldsEditor)

export function load({ params }: LoadInput) {
  return fetchFresh(readOrganization, { params: { orgId: params['orgId'] ?? '' } })
}

export function OrganizationEdit() {
  const orgId = usePathParam('orgId')
  return <Editor key={orgId} orgId={orgId} />
}

function Editor({ orgId }: { orgId: string }) {
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const { name } = organization
  useVisit({
    kind: 'organization',
    title: organization.name,
    detail: organization.domain ?? '',
    picture: organization.logo,
    path: paths.organizationDashboard(orgId),
  })
  return (
    <>
      <PageHead
        title={`Edit ${name}`}
        lead="Name, logo, state, and what holds for everybody in it."
        crumbs={organizationCrumbs(organization)}
        actions={<HistoryLink entity="organization" id={orgId} />}
      />
      <LogoField organization={organization} />
      <EditForm organization={organization} />
      <section className="org-fields" aria-labelledby="fields-title">
        <h2 id="fields-title">Fields of people</h2>
        <p>What this organization keeps about its people, beyond name, email, phone and number.</p>
        <Suspense fallback={<Bone height={120} />}>
          <FieldsEditor orgId={orgId} />
        </Suspense>
      </section>
      <StateCard organization={organization} />
    </>
  )
}

function EditForm({ organization }: { organization: Organization }) {
  const params = { orgId: organization.id }
  const navigate = useNavigate()
  const update = useChange(updateOrganization, [listOrganizations, readOrganization])
  const form = useEditForm({
    what: 'this organization',
    schema: OrganizationInput,
    labels,
    loaded: organization,
    read: () => fetchFresh(readOrganization, { params }),
    valuesOf,
    words,
    draft: `organization:${organization.id}`,
    trace: { entity: 'organization', entityId: organization.id },
    save: (body, condition) => update.mutateAsync({ params, body, ...condition }),
    async onSaved(saved) {
      toast.success(`${saved.name} was saved.`)
      await navigate({ to: paths.organizationDashboard(saved.id) })
    },
  })
  return (
    <>
      <FormLayout {...form.layout} submitLabel="Save changes">
        <OrganizationFields form={form} orgId={organization.id} />
      </FormLayout>
      <UnsavedGuard isDirty={form.isDirty} isKept />
    </>
  )
}

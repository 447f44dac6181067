import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import {
  createOrganization,
  listOrganizations,
  OrganizationInput,
  readDashboard,
} from '#contract/organizations.ts'
import { useContractForm } from '../api/form.ts'
import { useChange } from '../api/query.ts'
import { paths } from '../paths.ts'
import { UnsavedGuard } from '../shell/UnsavedGuard.tsx'
import { FormLayout } from '../ui/FormLayout.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/toasts.ts'
import { OrganizationFields } from '../shell/organization/OrganizationFields.tsx'
import { labels, valuesOf } from '../shell/organization/values.ts'

export function OrganizationCreate() {
  const navigate = useNavigate()
  const create = useChange(createOrganization, [listOrganizations, readDashboard])
  const form = useContractForm({
    schema: OrganizationInput,
    initialValues: valuesOf(),
    labels,
    draft: 'organization:new',
    save: (body) => create.mutateAsync({ body }),
    async onSaved(created) {
      toast.success(`${created.name} was created.`)
      await navigate({ to: paths.organizationDashboard(created.id) })
    },
  })
  return (
    <>
      <PageHead
        title="New organization"
        lead="It starts empty; people, groups and videos come afterwards."
        crumbs={<Link to={paths.organizations()}>Organizations</Link>}
      />
      <FormLayout
        {...form.layout}
        isNew
        submitLabel="Create organization"
        cancel={
          <Button variant="default" component={Link} to={paths.organizations()}>
            Cancel
          </Button>
        }
      >
        <OrganizationFields form={form} />
      </FormLayout>
      <UnsavedGuard isDirty={form.isDirty} isKept />
    </>
  )
}

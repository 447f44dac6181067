import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { listFields } from '#contract/fields.ts'
import { readOrganization } from '#contract/organizations.ts'
import { createUser, UserInput } from '#contract/users.ts'
import { useContractForm } from '../api/form.ts'
import { prefetch, useChange, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePathParam, type LoadInput } from '../shell/page.ts'
import { UnsavedGuard } from '../shell/UnsavedGuard.tsx'
import { FormLayout } from '../ui/FormLayout.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/toasts.ts'
import { organizationCrumbs } from './crumbs.tsx'
import { userEndpoints } from './RemoveUser.tsx'
import { labelsFor, UserFields, valuesOf } from './UserFields.tsx'

export function load({ params }: LoadInput) {
  const { orgId = '' } = params
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    prefetch(listFields, { params: { orgId } }),
  ])
}

export function UserCreate() {
  const orgId = usePathParam('orgId')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const navigate = useNavigate()
  const create = useChange(createUser, userEndpoints)
  const fields = useEndpoint(listFields, { params: { orgId } }).items
  const form = useContractForm({
    schema: UserInput,
    initialValues: valuesOf(undefined, fields),
    labels: labelsFor(fields),
    draft: `user:new:${orgId}`,
    save: (body) => create.mutateAsync({ params: { orgId }, body }),
    async onSaved(created) {
      const next = created.state === 'invited' ? ' An invitation is on its way by mail.' : ''
      toast.success(`${created.name} was added.${next}`)
      await navigate({ to: paths.organizationDashboard(orgId), search: { tab: 'users' } })
    },
  })
  return (
    <>
      <PageHead
        title="Add a user"
        lead={`Somebody in ${organization.name} who receives videos, or who helps to send them.`}
        crumbs={organizationCrumbs(organization)}
      />
      <FormLayout
        {...form.layout}
        isNew
        submitLabel="Add user"
        cancel={
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to={paths.organizationDashboard(orgId)} search={{ tab: 'users' }} />
            )}
          >
            Cancel
          </Button>
        }
      >
        <UserFields form={form} orgId={orgId} />
      </FormLayout>
      <UnsavedGuard isDirty={form.isDirty} isKept />
    </>
  )
}

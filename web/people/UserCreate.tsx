import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { listFields } from '#contract/directory/fields.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { prefetch, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePathParams, type LoadInput } from '../layout/page.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/feedback/toasts.ts'
import { organizationCrumbs } from '../organizations/crumbs.tsx'
import { NewUserForm } from './UserForms.tsx'

export function load({ params }: LoadInput<'/organizations/$orgId/users/create'>) {
  const { orgId } = params
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    prefetch(listFields, { params: { orgId } }),
  ])
}

export function UserCreate() {
  const { orgId } = usePathParams('/organizations/$orgId/users/create')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const navigate = useNavigate()
  return (
    <>
      <PageHead
        title="Add a person"
        lead={`Somebody in ${organization.name} who receives videos, or who helps to send them.`}
        crumbs={organizationCrumbs(organization)}
      />
      <NewUserForm
        orgId={orgId}
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
        onSaved={async (said) => {
          toast.success(said)
          await navigate({ to: paths.organizationDashboard(orgId), search: { tab: 'users' } })
        }}
      />
    </>
  )
}

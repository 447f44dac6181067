import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { readOrganization } from '#contract/directory/organizations.ts'
import { prefetch, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePathParams, type LoadInput } from '../layout/page.ts'
import { useUser } from '../session/useSession.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/feedback/toasts.ts'
import { organizationCrumbs } from '../organizations/crumbs.tsx'
import { createdText, NewGroupForm } from './GroupForms.tsx'

export function load({ params }: LoadInput<'/organizations/$orgId/groups/create'>) {
  return prefetch(readOrganization, { params: { orgId: params.orgId } })
}

export function GroupCreate() {
  const { orgId } = usePathParams('/organizations/$orgId/groups/create')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const isGroupadmin = useUser().role === 'groupadmin'
  const navigate = useNavigate()
  return (
    <>
      <PageHead
        title="Add a group"
        lead={
          isGroupadmin
            ? `A group in ${organization.name}, which you will administer.`
            : `People of ${organization.name} whom you send to together.`
        }
        crumbs={organizationCrumbs(organization, 'groups')}
      />
      <NewGroupForm
        orgId={orgId}
        cancel={
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link to={paths.organizationDashboard(orgId)} search={{ tab: 'groups' }} {...props} />
            )}
          >
            Cancel
          </Button>
        }
        onSaved={async (created) => {
          toast.success(createdText(created))
          await navigate({ to: paths.groupEdit(orgId, created.id), replace: true })
        }}
      />
    </>
  )
}

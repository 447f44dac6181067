import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/feedback/toasts.ts'
import { NewOrganizationForm } from './forms/OrganizationForms.tsx'

export function OrganizationCreate() {
  const navigate = useNavigate()
  return (
    <>
      <PageHead
        title="Add an organization"
        lead="It starts empty; people, groups and videos come afterwards."
        crumbs={<Link to={paths.organizations()}>Organizations</Link>}
      />
      <NewOrganizationForm
        cancel={
          <Button variant="default" component={Link} to={paths.organizations()}>
            Cancel
          </Button>
        }
        onSaved={async (created) => {
          toast.success(`${created.name} was created.`)
          await navigate({ to: paths.organizationDashboard(created.id) })
        }}
      />
    </>
  )
}

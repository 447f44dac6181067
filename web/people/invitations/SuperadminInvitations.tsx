import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import type { LoadInput } from '../../layout/page.ts'
import { PageHead } from '../../ui/PageHead.tsx'
import { InvitationList, invitationSearch, loadInvitations } from './InvitationList.tsx'

export const search = invitationSearch

export function load({ search: given }: LoadInput) {
  return loadInvitations(null, given)
}

/** Those who were invited to administer the installation, and so belong to no organization. */
export function SuperadminInvitations() {
  return (
    <>
      <PageHead
        title="Invited superadmins"
        lead="Whoever accepts can see and manage everything, in every organization."
        crumbs={<Link to={paths.organizations()}>Organizations</Link>}
        actions={
          <Button
            component={Link}
            to={paths.superadminInvite()}
            data-create
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            Invite a superadmin
          </Button>
        }
      />
      <InvitationList orgId={null} />
    </>
  )
}

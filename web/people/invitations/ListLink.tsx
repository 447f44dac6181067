import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'

type Props = { orgId: string | null; children: string; variant?: 'default' }

/** To the invitations of an organization, or to those of superadmins. */
export function ListLink({ orgId, ...look }: Props) {
  if (orgId === null) return <Button {...look} component={Link} to={paths.superadminInvitations()} />
  return (
    <Button
      {...look}
      renderRoot={(props) => (
        <Link {...props} to={paths.organizationDashboard(orgId)} search={{ tab: 'invitations' }} />
      )}
    />
  )
}

import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'

/** The way down to a page of one organization; `tab` for pages that came from another list than its people. */
export function organizationCrumbs(
  { id, name }: { id: string; name: string },
  tab?: 'groups' | 'invitations',
) {
  return [
    <Link key="all" to={paths.organizations()}>
      Organizations
    </Link>,
    <Link key="one" to={paths.organizationDashboard(id)} search={tab ? { tab } : {}}>
      {name}
    </Link>,
  ]
}

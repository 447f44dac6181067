import { Link } from '@tanstack/react-router'
import { session } from '../api/session.ts'
import { paths } from '../paths.ts'

/** To the list of organizations, for whoever has several. */
export function organizationsCrumb() {
  if (session.read().user?.organizationId) return []
  return [
    <Link key="all" to={paths.organizations()}>
      Organizations
    </Link>,
  ]
}

/** The way down to a page of one organization; `tab` for pages that came from another list than its people. */
export function organizationCrumbs(
  { id, name }: { id: string; name: string },
  tab?: 'groups' | 'invitations',
) {
  return [
    ...organizationsCrumb(),
    <Link key="one" to={paths.organizationDashboard(id)} search={tab ? { tab } : {}}>
      {name}
    </Link>,
  ]
}

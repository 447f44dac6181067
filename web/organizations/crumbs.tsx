import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'

/** The way down to a page of one organization; `groups` for pages that came from its groups. */
export function organizationCrumbs({ id, name }: { id: string; name: string }, tab?: 'groups') {
  return [
    <Link key="all" to={paths.organizations()}>
      Organizations
    </Link>,
    <Link key="one" to={paths.organizationDashboard(id)} search={tab ? { tab } : {}}>
      {name}
    </Link>,
  ]
}

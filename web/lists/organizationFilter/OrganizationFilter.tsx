import { useQuery } from '@tanstack/react-query'
import { readOrganization } from '#contract/directory/organizations.ts'
import { queryOf } from '#web/api/query.ts'
import { ClosedChoice } from '#web/ui/fields/ClosedChoice.tsx'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import organizationClasses from './OrganizationFilter.module.css'

const OrganizationSelect = onDemand(async () => (await import('./OrganizationSelect.tsx')).OrganizationSelect)

type Props = {
  /** Id of an organization; '' for all of them. */
  value: string
  /** Its name, where the page knows it. */
  name?: string | undefined
  onChange: (organizationId: string) => void
}

/**
 * For superadmins, who are in no organization: whose things are shown. The list with its search, and the organizations
 * in it, are fetched when somebody opens it.
 */
export function OrganizationFilter({ value, name, onChange }: Props) {
  const chosen = useQuery({
    ...queryOf(readOrganization, { params: { orgId: value } }),
    enabled: value !== '' && name === undefined,
  })
  const known = value === '' ? undefined : (name ?? chosen.data?.name)
  const text = value === '' ? 'All organizations' : (known ?? '…')
  return (
    <ClosedChoice className={organizationClasses.organization} label="Organization" text={text}>
      <OrganizationSelect value={value} name={known} onChange={onChange} />
    </ClosedChoice>
  )
}

import { InputBase } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconSelector } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { readOrganization } from '#contract/organizations.ts'
import { queryOf } from '#web/api/query.ts'
import { onDemand } from '#web/ui/onDemand.tsx'

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
 * in it, are fetched when somebody opens it, because a page with rows to show has better things to fetch first.
 */
export function OrganizationFilter({ value, name, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const chosen = useQuery({
    ...queryOf(readOrganization, { params: { orgId: value } }),
    enabled: value !== '' && name === undefined,
  })
  const known = value === '' ? undefined : (name ?? chosen.data?.name)
  const text = value === '' ? 'All organizations' : (known ?? '…')
  const open = () => setOpen(true)
  const closed = (
    <InputBase
      className="ui-organization"
      component="button"
      type="button"
      pointer
      aria-label={`Organization: ${text}`}
      aria-expanded={false}
      aria-haspopup="listbox"
      onClick={open}
      onKeyDown={(event) => event.key === 'ArrowDown' && open()}
      rightSection={<IconSelector size={16} aria-hidden />}
    >
      {text}
    </InputBase>
  )
  if (!isOpen) return closed
  return (
    <Suspense fallback={closed}>
      <OrganizationSelect value={value} name={known} onChange={onChange} />
    </Suspense>
  )
}

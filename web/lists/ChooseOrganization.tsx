import { Button } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listOrganizations, type Organization } from '#contract/directory/organizations.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { OrganizationMark } from '#web/ui/Avatar.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { formatNumber } from '#web/ui/format.ts'
import { Pager } from '#web/ui/table/Pager.tsx'
import { whole } from '#web/ui/overlays/tips.ts'
import { ListBar } from './bar/ListBar.tsx'
import shapes from '#web/ui/look/shapes.module.css'

/** The same page, of this organization. */
function ofOrganization(id: string) {
  return { to: '.', search: (now: object) => ({ ...now, organization: id }) } as const
}

const columns: readonly Column<Organization>[] = [
  {
    key: 'name',
    header: 'Organization',
    isName: true,
    cell: ({ id, name, logo }) => (
      <span className={shapes.named}>
        <OrganizationMark name={name} picture={logo} />
        <Link {...ofOrganization(id)} {...whole}>
          {name}
        </Link>
      </span>
    ),
  },
  {
    key: 'people',
    header: 'People',
    align: 'end',
    width: '128px',
    phone: 'end',
    cell: ({ userCount }) => formatNumber(userCount),
  },
  {
    key: 'videos',
    header: 'Videos',
    align: 'end',
    width: '128px',
    from: 'md',
    cell: ({ videoCount }) => formatNumber(videoCount),
  },
]

const none = (
  <EmptyState
    title="No organization yet"
    icon={<IconBuilding size={24} />}
    action={
      <Button renderRoot={(props) => <Link to={paths.organizations()} {...props} />}>Organizations</Button>
    }
  >
    An organization holds people, groups and videos. Add the first one to begin.
  </EmptyState>
)

type Props = {
  /** Why one has to be chosen, as a sentence. */
  why: string
}

/** For superadmins, who are in no organization: of which one a page is to tell that tells of one only. */
export function ChooseOrganization({ why }: Props) {
  const [q, setWords] = useState('')
  const [offset, setOffset] = useState(0)
  const { page, isStale, error, retry } = useList(listOrganizations, {
    query: { q: q || undefined, offset },
  })
  if (error) return <NotRead error={error} retry={retry} />
  const clear = () => setWords('')
  return (
    <>
      <ListBar
        search={{
          label: 'Search organizations',
          value: q,
          onSearch: (words) => {
            setWords(words)
            setOffset(0)
          },
        }}
        onClear={clear}
        found={isStale ? undefined : page}
      >
        <p className={shapes.hint}>{why} Choose one.</p>
      </ListBar>
      <DataTable
        name="Organizations"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        empty={
          q === '' ? (
            none
          ) : (
            <EmptyState
              title="No organization has this in its name"
              action={
                <Button variant="default" onClick={clear}>
                  Show all organizations
                </Button>
              }
            />
          )
        }
      />
      {page && <Pager {...page} offset={offset} onOffset={setOffset} />}
    </>
  )
}

import { IconMailCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { alertLimits } from '#contract/platform/alerts.ts'
import { listFailedMails, type FailedMail } from '#contract/dashboard.ts'
import { prefetch, soon, useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '../layout/page.ts'
import { useUser } from '../session/useSession.ts'
import { DataTable, type Column } from '../ui/table/DataTable.tsx'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { Pager } from '../ui/table/Pager.tsx'
import { RelativeTime } from '../ui/Time.tsx'

export const search = z.object({
  organization: z.catch(z.optional(z.uuid()), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})

const queryFrom = ({ organization, offset }: z.output<typeof search>) => ({
  organizationId: organization,
  offset,
})

export function load({ search: given }: LoadInput) {
  return soon([prefetch(listFailedMails, { query: queryFrom(readSearch(search, given)) })])
}

const columns: readonly Column<FailedMail>[] = [
  { key: 'to', header: 'To', isName: true, cell: ({ to }) => to },
  { key: 'subject', header: 'Subject', cell: ({ subject }) => subject },
  {
    key: 'why',
    header: 'Why',
    dimmed: true,
    cell: ({ error }) => error,
  },
  {
    key: 'when',
    header: 'When',
    width: '128px',
    dimmed: true,
    cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
  },
]
const organization: Column<FailedMail> = {
  key: 'organization',
  header: 'Organization',
  width: '160px',
  dimmed: true,
  from: 'lg',
  cell: ({ organizationName }) => organizationName,
}

/** Codes, notices and invitations that did not leave: to whom, and what the mail server said. */
export function FailedMails() {
  const isSuperadmin = useUser().role === 'superadmin'
  const [query, change] = usePageSearch(search)
  const { page, isStale, error, retry } = useList(listFailedMails, { query: queryFrom(query) })
  return (
    <>
      <PageHead
        title="Mails that could not be sent"
        lead={`Codes, notices and invitations of the last ${alertLimits.failedHours} hours. Correct the address, then let the person ask again.`}
        crumbs={<Link to={paths.dashboard()}>Dashboard</Link>}
      />
      {error && <NotRead error={error} retry={retry} />}
      {(page || !error) && (
        <DataTable
          name="Mails that could not be sent"
          columns={isSuperadmin ? columns.toSpliced(3, 0, organization) : columns}
          rows={page?.items}
          rowKey={({ id }) => id}
          isStale={isStale}
          empty={
            <EmptyState title="Every mail was sent" icon={<IconMailCheck size={24} />}>
              Nothing has failed in the last {alertLimits.failedHours} hours.
            </EmptyState>
          }
        />
      )}
      {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
    </>
  )
}

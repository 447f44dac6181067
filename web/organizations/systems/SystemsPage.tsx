import { Button } from '@mantine/core'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useState, type ReactNode } from 'react'
import { readOrganization } from '#contract/directory/organizations.ts'
import { listEventAddresses, type EventAddress } from '#contract/events/event-addresses.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { prefetch, useEndpoint, useList } from '#web/api/query.ts'
import { usePathParams, type LoadInput } from '#web/layout/page.ts'
import { paths } from '#web/paths.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { plural } from '#web/ui/format.ts'
import { organizationCrumbs } from '../crumbs.tsx'
import { AddressState, Secret } from './Answers.tsx'
import { Channel } from './Channel.tsx'
import { eventsText } from './words.ts'
import shapes from '#web/ui/look/shapes.module.css'

const AddressDialog = dialogOnDemand(async () => (await import('./AddressDialog.tsx')).AddressDialog)

export function load({ params: { orgId } }: LoadInput<'/organizations/$orgId/systems'>) {
  return prefetch(readOrganization, { params: { orgId } })
}

/** The systems that an organization has things posted to: messages for people, and events for programs. */
export function SystemsPage() {
  const { orgId } = usePathParams('/organizations/$orgId/systems')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  return (
    <>
      <PageHead
        title="Other systems"
        crumbs={organizationCrumbs(organization)}
        lead="What is posted to systems of your own: messages by SMS and chat, and what happens here."
      />
      <div className={shapes.stack}>
        <Events key={orgId} orgId={orgId} />
        <Channel orgId={orgId} />
      </div>
    </>
  )
}

type Made = { id: string; secret: string | null }

function Events({ orgId }: { orgId: string }) {
  const { page, isStale, error, retry } = useList(listEventAddresses, { params: { orgId } })
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<Made | null>(null)
  const add = (
    <Button
      data-create
      leftSection={<IconPlus size={16} aria-hidden />}
      variant="default"
      onClick={() => setAdding(true)}
    >
      Add an address
    </Button>
  )
  return (
    <section className={shapes.stack} aria-labelledby="events">
      <div className={shapes.row}>
        <h2 id="events">Events</h2>
        {page && page.items.length > 0 && add}
      </div>
      {made?.secret && (
        <Secret secret={made.secret} onDone={() => setMade(null)}>
          Whoever gets the events checks by it that they are ours. How stands in{' '}
          <a href="/api/docs">the documentation</a>.
        </Secret>
      )}
      {error ? (
        <NotRead error={error} retry={retry} height={200} />
      ) : (
        <DataTable
          name="Addresses for events"
          columns={columnsOf(orgId)}
          rows={page?.items}
          rowKey={({ id }) => id}
          isStale={isStale}
          skeletonRows={2}
          empty={<Nothing add={add} />}
        />
      )}
      <Suspense>
        {isAdding && <AddressDialog orgId={orgId} onMade={setMade} onClose={() => setAdding(false)} />}
      </Suspense>
    </section>
  )
}

/** What events are for, where nobody is told of any. */
function Nothing({ add }: { add: ReactNode }) {
  return (
    <EmptyState title="No system is told of anything" icon={<IconPlugConnected size={24} />} action={add}>
      Name an address of another system, such as your HR system or a data warehouse. It is told at once who
      was added, who completed a video and who is late, signed, so that it need not ask again and again. What
      is posted and how to check it stands in <a href="/api/docs">the documentation</a>.
    </EmptyState>
  )
}

const columnsOf = (orgId: string): readonly Column<EventAddress>[] => [
  {
    key: 'url',
    header: 'Address',
    isName: true,
    cell: ({ id, url }) => <Link to={paths.system(orgId, id)}>{url}</Link>,
  },
  {
    key: 'types',
    header: 'Told of',
    width: '160px',
    dimmed: true,
    phone: 'line',
    from: 'md',
    cell: ({ types }) => plural(types.length, 'kind of event', 'kinds of events'),
  },
  {
    key: 'waiting',
    header: 'Waiting',
    width: '176px',
    dimmed: true,
    from: 'lg',
    cell: ({ waiting }) => waiting > 0 && eventsText(waiting),
  },
  { key: 'state', header: 'State', width: '144px', phone: 'end', cell: AddressState },
]

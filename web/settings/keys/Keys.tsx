import { Button } from '@mantine/core'
import { IconKey, IconPencil, IconPlus, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import { alertLimits } from '#contract/platform/alerts.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { listKeys, listSystemKeys, type Key, type KeyWithToken } from '#contract/service-accounts.ts'
import { attempt } from '#web/api/attempt.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useAwaited, useList } from '#web/api/query.ts'
import { usePageSearch } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { CopyButton } from '#web/ui/CopyButton.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { formatDay } from '#web/ui/format.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { useKeyCalls } from './calls.ts'
import { EditKey } from './EditKey.tsx'
import { NewKey } from './NewKey.tsx'
import { RotateKey } from './RotateKey.tsx'
import { scopeLabels } from './scopes.ts'

const search = z.object({ organization: z.catch(z.string(), '') })

/** Keys of one's own organization; a superadmin sees those of the installation, or of the organization that the address names. */
export function Keys() {
  const { role, organizationId } = useUser()
  const [{ organization }] = usePageSearch(search)
  if (role !== 'superadmin') return <OrganizationKeys key={organizationId} orgId={organizationId ?? ''} />
  if (organization === '') return <InstallationKeys />
  return <NamedOrganization key={organization} orgId={organization} />
}

function NamedOrganization({ orgId }: { orgId: string }) {
  const { data } = useAwaited(readOrganization, { params: { orgId } })
  return (
    <>
      {data && <p className={shapes.lead}>These are keys of {data.name}; each acts there alone.</p>}
      <OrganizationKeys orgId={orgId} />
    </>
  )
}

const pageLength = 25

function OrganizationKeys({ orgId }: { orgId: string }) {
  const [offset, setOffset] = useState(0)
  const list = useList(listKeys, { params: { orgId }, query: { offset, limit: pageLength } })
  return <KeyList orgId={orgId} {...list} onOffset={setOffset} />
}

function InstallationKeys() {
  const [offset, setOffset] = useState(0)
  const list = useList(listSystemKeys, { query: { offset, limit: pageLength } })
  return <KeyList orgId={null} {...list} onOffset={setOffset} />
}

type ListProps = {
  /** Null: of the installation. */
  orgId: string | null
  page: Reply<typeof listKeys> | undefined
  error: unknown
  retry: () => void
  isStale: boolean
  onOffset: (offset: number) => void
}

type Asked = { what: 'new' } | { what: 'edit' | 'rotate' | 'withdraw'; key: Key }

function KeyList({ orgId, page, error, retry, isStale, onOffset }: ListProps) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const [made, setMade] = useState<KeyWithToken | null>(null)
  const { withdraw } = useKeyCalls(orgId)
  const close = () => setAsked(null)
  const tell = (key: KeyWithToken) => {
    close()
    setMade(key)
  }
  const add = (
    <Button leftSection={<IconPlus size={16} />} data-create onClick={() => setAsked({ what: 'new' })}>
      Make a key
    </Button>
  )
  const actions = (key: Key) => (
    <RowMenu
      name={key.name}
      acts={[
        {
          icon: IconPencil,
          label: 'Edit',
          onPress: () => setAsked({ what: 'edit', key }),
        },
        {
          icon: IconRefresh,
          label: 'Give it a new token',
          onPress: () => setAsked({ what: 'rotate', key }),
        },
        {
          icon: IconTrash,
          label: 'Withdraw',
          isDangerous: true,
          onPress: () => setAsked({ what: 'withdraw', key }),
        },
      ]}
    />
  )
  if (error)
    return (
      <div className={shapes.card}>
        <NotRead error={error} retry={retry} />
      </div>
    )
  return (
    <div className={shapes.stack}>
      {made && <Told made={made} onDone={() => setMade(null)} />}
      {page && page.items.length > 0 && <div>{add}</div>}
      <DataTable
        name="Keys, newest first"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        skeletonRows={3}
        empty={
          <EmptyState title="No keys yet" icon={<IconKey size={24} />} action={add}>
            With a key, another system does by itself what somebody would do here: an HR system keeps people
            up to date, a portal sends videos, a warehouse reads who has seen what. Make one for each system,
            and let it do only what it needs.
          </EmptyState>
        }
        actions={actions}
      />
      {page && page.total > pageLength && <Pager {...page} onOffset={(offset) => onOffset(offset)} />}
      {asked?.what === 'new' && <NewKey orgId={orgId} onMade={tell} onClose={close} />}
      {asked?.what === 'edit' && <EditKey orgId={orgId} of={asked.key} onClose={close} />}
      {asked?.what === 'rotate' && <RotateKey orgId={orgId} of={asked.key} onMade={tell} onClose={close} />}
      {asked?.what === 'withdraw' && (
        <ConfirmDialog
          isOpen
          title={`Withdraw the key ${asked.key.name}?`}
          confirmLabel="Withdraw key"
          onConfirm={() => attempt(() => withdraw(asked.key.id), `The key ${asked.key.name} was withdrawn.`)}
          onClose={close}
        >
          <p>
            The system that uses it is refused at once and for good. What it did stays, and so does the audit
            log about it.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Told once. */
function Told({ made: { name, token }, onDone }: { made: KeyWithToken; onDone: () => void }) {
  return (
    <Notice
      tone="warning"
      role="status"
      action={
        <Button size="sm" variant="default" onClick={onDone}>
          {token === null ? 'Understood' : 'I have kept it'}
        </Button>
      }
    >
      {token === null ? (
        <p>
          The key {name} was made, but its token was lost on the way here. Please give it a new token, or
          withdraw it.
        </p>
      ) : (
        <>
          <p>
            This is the token of {name}. It will not be shown again: please copy it now, and keep it where the
            other system keeps its passwords.
          </p>
          <p>
            <code translate="no">{token}</code> <CopyButton text={token} label="Copy" />
          </p>
          <p>
            How another system uses it, with commands to copy, stands in{' '}
            <a href="/api/docs">the documentation</a>.
          </p>
        </>
      )}
    </Notice>
  )
}

const dayMs = 86_400_000

function Expiry({ expiresAt, previousUntil, isStopped }: Key) {
  const [now] = useState(() => Date.now())
  const days = (new Date(expiresAt).getTime() - now) / dayMs
  return (
    <>
      {formatDay(expiresAt)}
      {isStopped ? (
        <StatusBadge
          tone="danger"
          title="Whoever answers for it may not sign in any more, or administers this no more. It works again when that changes, or when you edit it and answer for it yourself."
        >
          Owner missing
        </StatusBadge>
      ) : (
        days < alertLimits.keyDays && (
          <StatusBadge tone={days < 0 ? 'danger' : 'warning'}>
            {days < 0 ? /* text */ 'Expired' : /* text */ 'Expires soon'}
          </StatusBadge>
        )
      )}
      {previousUntil !== null && (
        <span className={shapes.hint}>
          The token before works until <DateTime iso={previousUntil} />
        </span>
      )}
    </>
  )
}

const columns: readonly Column<Key>[] = [
  {
    key: 'name',
    header: 'Name',
    isName: true,
    cell: ({ name, start }) => (
      <>
        {name} <code translate="no">{start}…</code>
      </>
    ),
  },
  {
    key: 'scopes',
    header: 'May',
    cell: ({ scopes }) => scopes.map((scope) => scopeLabels[scope]).join(', '),
  },
  { key: 'owner', header: 'Answers for it', dimmed: true, from: 'md', cell: ({ owner }) => owner.name },
  { key: 'expires', header: 'Expires', width: '176px', cell: (key) => <Expiry {...key} /> },
  {
    key: 'used',
    header: 'Last used',
    width: '136px',
    dimmed: true,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Not yet' : <RelativeTime iso={lastUsedAt} />),
  },
  {
    key: 'networks',
    header: 'From',
    dimmed: true,
    from: 'lg',
    cell: ({ networks }) => (networks.length === 0 ? 'Anywhere' : networks.join(', ')),
  },
]

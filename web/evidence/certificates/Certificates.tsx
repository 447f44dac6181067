import { Button } from '@mantine/core'
import { IconAward, IconCertificate } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { listCertificates, type Certificate } from '#contract/evidence/certificates.ts'
import type { User } from '#contract/directory/users.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { useSession } from '#web/session/useSession.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { dash } from '#web/ui/format.ts'
import { Pager } from '#web/ui/table/Pager.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { saveCertificate } from './save.ts'
import { shows } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

const IssueDialog = dialogOnDemand(() =>
  import('./IssueDialog.tsx').then(({ IssueDialog: dialog }) => dialog),
)

type Props = { orgId: string; user: User; offset: number; onOffset: (offset: number) => void }

/** What has been certified about a person, and the way to another certificate. */
export function Certificates({ orgId, user, offset, onOffset }: Props) {
  const address = { params: { orgId, userId: user.id }, query: { offset } }
  const { page, isStale, error, retry } = useList(listCertificates, address)
  const [isIssuing, setIssuing] = useState(false)
  const { viewing } = useSession()
  if (error) return <NotRead error={error} retry={retry} />
  const issue = !viewing && (
    <Button leftSection={<IconCertificate size={16} aria-hidden />} onClick={() => setIssuing(true)}>
      Issue a certificate
    </Button>
  )
  const isEmpty = page?.items.length === 0
  return (
    <section aria-label="Certificates" className={shapes.stack}>
      {!isEmpty && (
        <header className={shapes.spaceBetween}>
          <p className={shapes.lead}>
            Each states what was recorded when it was issued. Whoever holds one can have it verified at{' '}
            <a href={paths.verify()} target="_blank" rel="noreferrer">
              {paths.verify()}
            </a>
            .
          </p>
          {issue}
        </header>
      )}
      <DataTable
        name={`Certificates of ${user.name}`}
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        isStale={isStale}
        actions={filesOf(orgId, user.id)}
        actionsWidth="136px"
        empty={
          <EmptyState
            title="No certificate yet"
            icon={<IconCertificate size={28} />}
            action={issue || undefined}
          >
            A certificate states which parts of a video {user.name} has watched, signed so that everybody can
            verify it.
          </EmptyState>
        }
      />
      {page && <Pager {...page} onOffset={onOffset} />}
      {isIssuing && (
        <Suspense>
          <IssueDialog orgId={orgId} user={user} onClose={() => setIssuing(false)} />
        </Suspense>
      )}
    </section>
  )
}

const columns: Column<Certificate>[] = [
  { key: 'video', header: 'Video', cell: ({ video }) => video.title, isName: true },
  { key: 'number', header: 'No.', cell: ({ number }) => number, align: 'end', width: '56px' },
  { key: 'state', header: 'State', cell: (one) => <State certificate={one} />, width: '124px' },
  { key: 'issued', header: 'Issued', cell: ({ issuedAt }) => <DateTime iso={issuedAt} />, width: '164px' },
  {
    key: 'by',
    header: 'By',
    cell: ({ issuedBy }) => issuedBy ?? 'Themselves',
    width: '108px',
    dimmed: true,
    from: 'lg',
  },
]

function State({ certificate: { isErased, completedAt, passed, share } }: { certificate: Certificate }) {
  if (isErased) return <StatusBadge tone="neutral">Erased</StatusBadge>
  if (passed && completedAt)
    return (
      <StatusBadge tone="success" icon={IconAward}>
        Passed
      </StatusBadge>
    )
  if (completedAt) return <StatusBadge tone="success">Completed</StatusBadge>
  if (passed === false) return <StatusBadge tone="danger">Not passed</StatusBadge>
  return (
    <StatusBadge tone="neutral">
      {share === null ? 'Not completed' : `${Math.floor(share / 100)}%`}
    </StatusBadge>
  )
}

const filesOf = (orgId: string, userId: string) => (certificate: Certificate) => (
  <Files orgId={orgId} userId={userId} certificate={certificate} />
)

type FilesProps = { orgId: string; userId: string; certificate: Certificate }

function Files({ orgId, userId, certificate }: FilesProps) {
  if (certificate.isErased) return dash
  return (
    <>
      {(['pdf', 'json'] as const).map((format) => (
        <Button
          key={format}
          variant="default"
          size="compact-sm"
          {...shows(`Download as ${format.toUpperCase()}`)}
          aria-label={`Download certificate no. ${certificate.number} as ${format.toUpperCase()}`}
          onClick={() => void saveCertificate({ orgId, userId, certificate, format })}
        >
          {format.toUpperCase()}
        </Button>
      ))}
    </>
  )
}

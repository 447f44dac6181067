import { Link } from '@tanstack/react-router'
import type { Reply } from '#contract/endpoint.ts'
import { readStorage } from '#contract/platform/upkeep.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { formatBytes, formatShare } from '#web/ui/format.ts'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import type { Tone } from '#web/ui/figures/StatusBadge.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Usage = Reply<typeof readStorage>
type OrganizationUsage = Usage['organizations'][number]

const few = <EmptyState title="No organization has a video yet" />

/** Where the data lies, what takes how much of it, and which organization has most. */
export function Storage() {
  const { page, error, retry } = useList(readStorage, {}, { every: 60_000 })
  if (error)
    return (
      <div className={shapes.card}>
        <NotRead error={error} retry={retry} />
      </div>
    )
  if (!page) return <Bone height={480} />
  const ofFiles = page.parts.videos + page.parts.sources
  return (
    <div className={shapes.stack}>
      <Disk usage={page} />
      <section className={shapes.stack} aria-labelledby="storage-organizations">
        <h2 id="storage-organizations">Videos by organization</h2>
        <DataTable
          name="What the videos of each organization take"
          columns={columnsOf(ofFiles)}
          rows={page.organizations}
          rowKey={({ id }) => id}
          empty={few}
        />
      </section>
    </div>
  )
}

type UsagePart = { label: string; means: string; bytes: number; tone: Tone }

/** What takes room on the disk of the folder, and what lies elsewhere. */
function partsOf({ parts, hasDatabase, store }: Usage): (UsagePart & { isOnDisk: boolean })[] {
  const files = { isOnDisk: store.kind === 'folder' }
  return [
    {
      label: 'Videos',
      means: 'what is played, with pictures',
      bytes: parts.videos,
      tone: 'success',
      ...files,
    },
    { label: 'Sources', means: 'files as they were uploaded', bytes: parts.sources, tone: 'info', ...files },
    {
      label: 'Uploads',
      means: 'files that have not arrived whole',
      bytes: parts.uploads,
      tone: 'warning',
      ...files,
    },
    {
      label: 'Database',
      means: hasDatabase ? 'people, messages and evidence' : 'on a server of its own, outside of this disk',
      bytes: parts.database,
      tone: 'neutral',
      isOnDisk: hasDatabase,
    },
  ]
}

function Disk({ usage }: { usage: Usage }) {
  const { store, disk, largestUpload } = usage
  const parts = partsOf(usage)
  const isFolder = store.kind === 'folder'
  const together = isFolder ? parts.filter(({ isOnDisk }) => isOnDisk) : parts
  const used = together.reduce((sum, { bytes }) => sum + bytes, 0)
  const freeBytes = isFolder ? disk.freeBytes : null
  // Without a disk that says its size, and in a store that says none, the bar compares the parts alone.
  const room = used + (freeBytes ?? 0)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="storage-used">
      <h2 id="storage-used">
        {formatBytes(used)} used
        {freeBytes !== null && `, ${formatBytes(freeBytes)} free`}
      </h2>
      <ShareBar
        parts={together.map(({ label, bytes, tone }) => ({
          tone,
          value: bytes,
          label: `${label} ${formatBytes(bytes)}`,
        }))}
        total={room}
      />
      <Facts
        facts={parts.map(({ label, means, bytes }) => ({
          label,
          value: (
            <>
              {formatBytes(bytes)} <span className={shapes.unit}>{means}</span>
            </>
          ),
        }))}
      />
      <Facts
        facts={[
          { label: isFolder ? 'Folder' : 'Store of files', value: <code>{store.place}</code> },
          {
            label: isFolder ? 'Its disk' : 'Disk of the server',
            value: disk.totalBytes === null ? 'does not say its size' : formatBytes(disk.totalBytes),
          },
          { label: 'Largest upload', value: formatBytes(largestUpload) },
        ]}
      />
    </section>
  )
}

function columnsOf(all: number): readonly Column<OrganizationUsage>[] {
  return [
    {
      key: 'name',
      header: 'Organization',
      isName: true,
      cell: ({ id, name }) => <Link to={paths.organizationDashboard(id)}>{name}</Link>,
    },
    {
      key: 'share',
      header: 'Share',
      align: 'end',
      width: '112px',
      dimmed: true,
      cell: ({ bytes }) => formatShare(all === 0 ? 0 : bytes / all),
    },
    { key: 'bytes', header: 'Takes', align: 'end', width: '136px', cell: ({ bytes }) => formatBytes(bytes) },
  ]
}

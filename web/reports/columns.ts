import type { Column } from '#web/ui/table/DataTable.tsx'
import { formatWatched } from '#web/ui/format.ts'

/** For superadmins who look at all organizations. */
export const organization: Column<{ organizationName: string | null }> = {
  key: 'organization',
  header: 'Organization',
  width: '136px',
  dimmed: true,
  from: 'lg',
  cell: ({ organizationName }) => organizationName,
}

export const watched: Column<{ watchedMs: number | null }> = {
  key: 'watched',
  header: 'Watched',
  sort: 'watchedMs',
  align: 'end',
  width: '104px',
  cell: ({ watchedMs }) => (watchedMs === 0 ? null : formatWatched(watchedMs)),
}

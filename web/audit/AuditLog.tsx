import { IconHistory, IconCopy } from '@tabler/icons-react'
import { listAudit, readAuditHead } from '#contract/platform/audit.ts'
import { useList } from '#web/api/query.ts'
import { usePageSearch } from '#web/layout/page.ts'
import { storiesOf } from '#web/lists/stories.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { Story } from './Entry.tsx'
import { Filters, search, type AuditState } from './Filters.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { Button } from '@mantine/core'
import { plural } from '#web/ui/format.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'

const empty = (
  <EmptyState title="Nothing has happened yet" icon={<IconHistory size={24} />}>
    Every change, every sign-in and every export is written down here.
  </EmptyState>
)
const nothingFound = (
  <EmptyState title="No entry matches" icon={<IconHistory size={24} />}>
    Try other words, a longer time, or clear the filters.
  </EmptyState>
)

/** The same in the words of the API: days are those of the reader, the last one included. */
function filtersOf({ q, action, organization, actor, entity, entityId, from, to }: AuditState) {
  return {
    ...(q ? { q } : {}),
    ...(action ? { action } : {}),
    ...(organization ? { organizationId: organization } : {}),
    ...(actor ? { actorId: actor } : {}),
    ...(entityId ? { entityId, ...(entity ? { entity } : {}) } : {}),
    ...(from ? { from: startOf(from, 0) } : {}),
    ...(to ? { to: startOf(to, 1) } : {}),
  }
}

function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

export function AuditLog() {
  const [state, change] = usePageSearch(search)
  const filters = filtersOf(state)
  const query = { ...filters, offset: state.offset }
  const { page, error, retry, isStale } = useList(listAudit, { query })
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <Filters
        state={state}
        filters={filters}
        onChange={change}
        entries={page?.items}
        found={isStale ? undefined : page}
      />
      <div className={shapes.stack}>
        {error ? (
          <NotRead error={error} retry={retry} />
        ) : page?.items.length === 0 ? (
          <div className={shapes.card}>{isFiltered ? nothingFound : empty}</div>
        ) : (
          <div className={shapes.card} data-stale={isStale || undefined}>
            {page ? (
              <ol className={shapes.ruled} aria-label="Entries, newest first">
                {storiesOf(page.items).map((story) => (
                  <Story key={story[0]?.id} story={story} onFilter={change} />
                ))}
              </ol>
            ) : (
              <Bone height={480} />
            )}
          </div>
        )}
        {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
        <Chain />
      </div>
    </>
  )
}

/** How far the log is sealed, and its last link to note elsewhere. */
function Chain() {
  const { page: head } = useList(readAuditHead, {}, { every: 5_000 })
  if (!head) return null
  const { seq, hash, sealedAt, unsealed } = head
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(`${seq}:${hash}`)
      toast.success('Copied. Keep it where nobody of this installation can change it.')
    } catch {
      toast.failure('The browser did not allow copying. Please select the text yourself.')
    }
  }
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="audit-chain">
      <header className={shapes.spaceBetween}>
        <h2 id="audit-chain">Chain</h2>
        <div className={shapes.row}>
          {unsealed === 0 ? (
            <StatusBadge tone="success">All sealed</StatusBadge>
          ) : (
            <StatusBadge tone="running">{`${plural(unsealed, 'entry', 'entries')} to seal`}</StatusBadge>
          )}
          {hash && (
            <Button
              variant="default"
              leftSection={<IconCopy size={16} aria-hidden />}
              onClick={() => void copy()}
            >
              Copy last link
            </Button>
          )}
        </div>
      </header>
      <p className={shapes.lead}>
        Each entry is sealed with the one before it. Whoever keeps the last link can prove later that nothing
        was changed or cut off.
      </p>
      <p>
        {plural(seq, 'entry', 'entries')} of this installation sealed
        {sealedAt && (
          <>
            {' '}
            up to <DateTime iso={sealedAt} />
          </>
        )}
        .
      </p>
      {hash && (
        <code>
          {seq}:{hash}
        </code>
      )}
    </section>
  )
}

import { Button } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { readAuditHead } from '#contract/platform/audit.ts'
import { useList } from '#web/api/query.ts'
import { plural } from '#web/ui/format.ts'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/toasts.ts'
import shapes from '#web/ui/shapes.module.css'

/** How far the log is sealed, and its last link to note elsewhere. */
export function Chain() {
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
      <header className={shapes.apart}>
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

import type { Transmission } from '#contract/transmissions/transmissions.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { Weave } from '#web/weave/Weave.tsx'
import { ToList } from './recipients/Look.tsx'
import styles from './recipients/Recipients.module.css'

/** Shows the recipients as one cloth, in place of their list. */
export function Woven({ transmission: { id, organizationId, video } }: { transmission: Transmission }) {
  return (
    <div className={styles.recipients}>
      {video && (
        <Weave orgId={organizationId} videoId={video.id} transmissionId={id} actions={<ToList />}>
          <div className={shapes.card}>
            <EmptyState title="There is nothing to draw" action={<ToList />}>
              The video cannot be played now, or your organization does not record how single people watch.
            </EmptyState>
          </div>
        </Weave>
      )}
    </div>
  )
}

import { Link } from '@tanstack/react-router'
import { deviceName } from '#contract/devices.ts'
import { listWatching, type Watching } from '#contract/audience.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { formatClock, formatNumber, formatRuntime, formatReached, plural } from '#web/ui/format.ts'
import { ShareBar } from '#web/ui/ShareBar.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import styles from './Audience.module.css'
import shapes from '#web/ui/shapes.module.css'

const everyMs = 5_000
/** More would push the figures off the page. */
const mostShown = 8

/** Who is playing the video at this moment; renews itself while the page is looked at. */
export function WatchingNow({ videoId }: { videoId: string }) {
  const { page: now, error } = useList(listWatching, { params: { videoId } }, { every: everyMs })
  const total = now?.total ?? 0
  return (
    <section
      className={`${shapes.card} ${shapes.row} ${styles.now}`}
      aria-labelledby="now-title"
      data-some={total > 0 || undefined}
      data-screen-only
    >
      <h2 id="now-title" className={shapes.row}>
        <span className={styles.dot} aria-hidden />
        Watching now
      </h2>
      <p role="status" className={shapes.hint}>
        {error ? 'Who is watching cannot be seen right now.' : sentenceOf(now ? total : null)}
      </p>
      {now && total > 0 && (
        <ul className={shapes.grid}>
          {now.items.slice(0, mostShown).map((session) => (
            <Session key={session.id} session={session} videoId={videoId} />
          ))}
          {total > mostShown && <li>and {formatNumber(total - mostShown)} more</li>}
        </ul>
      )}
    </section>
  )
}

function sentenceOf(total: number | null): string {
  if (total === null) return 'Looking…'
  return total === 0 ? 'Nobody is watching at this moment.' : plural(total, 'person', 'people')
}

function Session({ session, videoId }: { session: Watching; videoId: string }) {
  const { user, positionMs, durationMs, since, device } = session
  const share = durationMs === 0 ? 0 : Math.min(1, positionMs / durationMs)
  return (
    <li className={shapes.tile}>
      {user ? (
        <Link className={shapes.cut} to={paths.evidence(user.organizationId, user.id, videoId)}>
          {user.name}
        </Link>
      ) : (
        <span className={shapes.cut}>Visitor</span>
      )}
      <span>
        at {formatClock(positionMs)} of {formatRuntime(durationMs)}
      </span>
      <span className={styles.far}>
        <ShareBar parts={[{ tone: 'watched', value: share, label: formatReached(share) }]} total={1} />
      </span>
      <small>
        {deviceName(device)}, since <RelativeTime iso={since} />
      </small>
    </li>
  )
}

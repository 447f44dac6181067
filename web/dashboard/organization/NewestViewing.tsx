import { Link } from '@tanstack/react-router'
import type { Viewed } from '#contract/directory/overview.ts'
import { paths } from '../../paths.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { formatDay, formatReached } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/Time.tsx'
import { tip, whole } from '#web/ui/tips.ts'
import styles from './Overview.module.css'
import shapes from '#web/ui/shapes.module.css'
import partClasses from '#web/ui/part.module.css'

/** Who watched what last. */
export function NewestViewing({ orgId, items }: { orgId: string; items: readonly Viewed[] }) {
  return (
    <section className={`${shapes.card} ${partClasses.part}`} aria-labelledby="newest">
      <header className={shapes.apart}>
        <h2 id="newest">Newest viewing</h2>
      </header>
      {items.length === 0 ? (
        <p className={`${shapes.row} ${partClasses.calm}`}>Nobody has watched anything yet.</p>
      ) : (
        <ul>
          {items.map(({ user, video, share, isCompleted, lastAt }) => (
            <li key={`${user?.id ?? ''} ${video.id} ${lastAt}`} className={styles.viewed}>
              <Avatar name={user?.name ?? '?'} picture={user?.avatar} size={32} />
              <div>
                <p>
                  {user ? (
                    <Link
                      to={paths.evidence(orgId, user.id, video.id)}
                      {...tip(`What ${user.name} watched, and how that is known`)}
                    >
                      {user.name}
                    </Link>
                  ) : (
                    'A visitor'
                  )}
                </p>
                <p className={`${shapes.apart} ${partClasses.line}`}>
                  <Link className={shapes.cut} to={paths.video(video.id)} {...whole}>
                    {video.title}
                  </Link>
                </p>
              </div>
              <div>
                <p>
                  {isCompleted && user ? (
                    <Link
                      to={paths.person(orgId, user.id)}
                      search={{ tab: 'certificates' }}
                      aria-label={`Completed: certificates of ${user.name}`}
                    >
                      Completed
                    </Link>
                  ) : isCompleted || share === null ? (
                    'Completed'
                  ) : (
                    `${formatReached(share)} seen`
                  )}
                </p>
                <p>{share === null ? formatDay(lastAt.slice(0, 10)) : <RelativeTime iso={lastAt} />}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

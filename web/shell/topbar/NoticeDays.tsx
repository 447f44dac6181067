import { IconAlertTriangle, IconBell, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import {
  listNotifications,
  readNotification,
  readNotifications,
  type Notification,
} from '#contract/notifications.ts'
import { useChange, useList } from '#web/api/query.ts'
import { RelativeTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/toasts.ts'
import { useUser } from '../useSession.ts'
import { daysOf, pathOf, toneOf, wordsOf } from './noticeWords.ts'

const icons = {
  success: IconCircleCheck,
  danger: IconAlertTriangle,
  warning: IconAlertTriangle,
  info: IconInfoCircle,
}
const steps = [20, 100] as const

/** What the person was told in the last 90 days, by day. */
export function NoticeDays({ unread, onFollow }: { unread: number; onFollow: () => void }) {
  const [limit, setLimit] = useState<number>(steps[0])
  const { page, error, retry } = useList(listNotifications, { query: { limit } })
  const title = useRef<HTMLHeadingElement>(null)
  const readAll = useChange(readNotifications, [listNotifications])
  const newestId = page?.items[0]?.id
  const markAll = async () => {
    if (newestId === undefined) return
    // The button goes with the last unread one.
    title.current?.focus()
    await readAll
      .mutateAsync({ body: { newestId } })
      .catch(() => toast.failure('The notifications could not be marked as read.'))
  }
  return (
    <div aria-busy={page === undefined && !error}>
      <div className="notices-head">
        <h2 id="notices-title" tabIndex={-1} ref={title}>
          Notifications
        </h2>
        {unread > 0 && newestId !== undefined && (
          <button type="button" className="bar-link" onClick={() => void markAll()}>
            Mark all as read
          </button>
        )}
      </div>
      {error && (
        <div className="notices-none" role="alert">
          <strong>Notifications could not be loaded</strong>
          <button type="button" className="bar-link" onClick={retry}>
            Try again
          </button>
        </div>
      )}
      {!page && !error && <div className="bar-notices-wait" />}
      {page?.items.length === 0 && <Nothing />}
      {page && <Days list={page.items} onFollow={onFollow} />}
      {page?.next && limit < steps[1] && (
        <button type="button" className="bar-link notices-more" onClick={() => setLimit(steps[1])}>
          Show older ones
        </button>
      )}
    </div>
  )
}

function Days({ list, onFollow }: { list: readonly Notification[]; onFollow: () => void }) {
  const isSystem = useUser().organizationId === null
  return daysOf(list).map(({ name, notifications }) => (
    <section key={name} aria-label={name}>
      <h3 className="notices-day">{name}</h3>
      <ul className="notices-list">
        {notifications.map((one) => (
          <Line key={one.id} notification={one} isSystem={isSystem} onFollow={onFollow} />
        ))}
      </ul>
    </section>
  ))
}

type LineProps = { notification: Notification; isSystem: boolean; onFollow: () => void }

function Line({ notification, isSystem, onFollow }: LineProps) {
  const read = useChange(readNotification, [listNotifications])
  const { id, createdAt, readAt, organizationName } = notification
  const { title, detail } = wordsOf(notification)
  const tone = toneOf(notification)
  const path = pathOf(notification)
  const Icon = icons[tone]
  const seen = () => {
    if (readAt === null) read.mutate({ params: { notificationId: id } })
  }
  const where = isSystem && organizationName !== null ? organizationName : ''
  return (
    <li data-tone={tone} data-unread={readAt === null || undefined}>
      <Icon size={18} aria-hidden />
      <p>
        {readAt === null && <span className="ui-sr">Unread: </span>}
        {path === null ? (
          title
        ) : (
          <Link
            to={path}
            onClick={() => {
              seen()
              onFollow()
            }}
          >
            {title}
          </Link>
        )}
      </p>
      <small>
        {[detail, where].filter(Boolean).map((text) => `${text} · `)}
        <RelativeTime iso={createdAt} />
      </small>
    </li>
  )
}

function Nothing() {
  return (
    <div className="notices-none">
      <IconBell size={24} stroke={1.4} aria-hidden />
      <strong>Nothing new</strong>
      <p>You are told here when your work is done, or when it needs you.</p>
    </div>
  )
}

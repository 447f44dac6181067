import { IconAlertTriangle, IconBell, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import {
  listNotifications,
  readNotification,
  readNotifications,
  type Notification,
} from '#contract/notifications/notifications.ts'
import { afterIn, call } from '#web/api/client.ts'
import { useChange } from '#web/api/query.ts'
import { RelativeTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { useUser } from '../../session/useSession.ts'
import { daysOf, pathOf, toneOf, wordsOf } from './noticeLabels.ts'
import classes from './Notices.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const icons = {
  success: IconCircleCheck,
  danger: IconAlertTriangle,
  warning: IconAlertTriangle,
  info: IconInfoCircle,
}
/** Of one page. */
const limit = 20

/** All of them, a page at a time, as far back as somebody wants to look. */
function useNotices() {
  return useInfiniteQuery({
    queryKey: [listNotifications.name, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call(listNotifications, { query: { limit, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => afterIn(next),
  })
}

/** What the person was told in the last 90 days, by day. */
export function NoticeDays({ unread, onFollow }: { unread: number; onFollow: () => void }) {
  const notices = useNotices()
  const { data, hasNextPage, isFetchingNextPage } = notices
  const list = data?.pages.flatMap(({ items }) => items)
  const error = list ? null : notices.error
  const title = useRef<HTMLHeadingElement>(null)
  const readAll = useChange(readNotifications, [listNotifications])
  const newestId = list?.[0]?.id
  const markAll = async () => {
    if (newestId === undefined) return
    // The button goes with the last unread one.
    title.current?.focus()
    await readAll
      .mutateAsync({ body: { newestId } })
      .catch(() => toast.failure('The notifications could not be marked as read.'))
  }
  return (
    <div aria-busy={list === undefined && !error}>
      <div className={`${shapes.spaceBetween} ${classes.head}`}>
        <h2 id="notices-title" tabIndex={-1} ref={title}>
          Notifications
        </h2>
        {unread > 0 && newestId !== undefined && (
          <button type="button" className={shapes.link} onClick={() => void markAll()}>
            Mark all as read
          </button>
        )}
      </div>
      {error && (
        <div className={shapes.missing} role="alert">
          <strong>Notifications could not be loaded</strong>
          <button type="button" className={shapes.link} onClick={() => void notices.refetch()}>
            Try again
          </button>
        </div>
      )}
      {!list && !error && <div style={{ height: 160 }} />}
      {list?.length === 0 && <Nothing />}
      {list && <Days list={list} onFollow={onFollow} />}
      {hasNextPage && (
        <button
          type="button"
          className={shapes.link}
          aria-busy={isFetchingNextPage}
          onClick={() => void notices.fetchNextPage().then(tellFailure)}
        >
          {isFetchingNextPage ? 'Looking for older ones…' : 'Show older ones'}
        </button>
      )}
    </div>
  )
}

function tellFailure({ isFetchNextPageError }: { isFetchNextPageError: boolean }): void {
  if (isFetchNextPageError) toast.failure('Older notifications could not be loaded.')
}

function Days({ list, onFollow }: { list: readonly Notification[]; onFollow: () => void }) {
  const isSystem = useUser().organizationId === null
  return daysOf(list).map(({ name, notifications }) => (
    <section key={name} aria-label={name}>
      <h3 className={shapes.hint}>{name}</h3>
      <ul className={`${shapes.ruled} ${classes.list}`}>
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
        {readAt === null && <span className={shapes.sr}>Unread: </span>}
        {path === null ? (
          title
        ) : (
          <Link
            className={shapes.cover}
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
        <RelativeTime iso={createdAt} isPart />
      </small>
    </li>
  )
}

function Nothing() {
  return (
    <div className={shapes.missing}>
      <IconBell size={24} stroke={1.4} aria-hidden />
      <strong>Nothing new</strong>
      <p className={shapes.hint}>You are told here when your work is done, or when it needs you.</p>
    </div>
  )
}

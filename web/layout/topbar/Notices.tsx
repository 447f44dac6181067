import { IconBell } from '@tabler/icons-react'
import { Suspense, useSyncExternalStore, useEffect, useState } from 'react'
import { plural } from '#web/ui/format.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { useSession } from '../../session/useSession.ts'
import { BarPanel } from './BarPanel.tsx'
import classes from './Topbar.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import type {
  listNotifications,
  NotificationState,
  watchNotifications,
} from '#contract/notifications/notifications.ts'
import { notificationWaitMs } from '#contract/notifications/notification-wait.ts'
import { call } from '#web/api/client.ts'
import { refreshAll } from '#web/api/query.ts'

const open = async () => (await import('./NoticePanel.tsx')).NoticePanel
const NoticePanel = onDemand(open)

const mostShown = 99

/** The contract of these two endpoints would come along with every page for their names alone. */
const place = { method: 'GET', path: '/notifications/state' } satisfies Pick<
  typeof watchNotifications,
  'method' | 'path'
>
const list = { name: 'listNotifications' } satisfies Pick<typeof listNotifications, 'name'>
const delays = { first: 1_000, longest: 60_000, unchanged: 10_000 }

/** Waits, but not beyond the moment in which the network comes back or `signal` fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      globalThis.removeEventListener('online', over)
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    globalThis.addEventListener('online', over)
    signal.addEventListener('abort', over)
  })
}

/** Asks again and again, each time until something has changed; where that fails, now and then. */
async function follow(tell: (state: NotificationState) => void, signal: AbortSignal): Promise<void> {
  let mark: string | undefined
  let failures = 0
  while (!signal.aborted) {
    const began = Date.now()
    try {
      const timeout = notificationWaitMs + 10_000
      const input = { query: { after: mark }, signal, timeout }
      const state = await call<typeof watchNotifications>(place, input)
      if (signal.aborted) return
      failures = 0
      if (state.mark !== mark) tell(state)
      // Something between here and the server does not let a question stay open.
      else if (Date.now() - began < notificationWaitMs / 2) await pause(delays.unchanged, signal)
      mark = state.mark
    } catch {
      await pause(Math.min(delays.first * 2 ** failures, delays.longest), signal)
      failures += 1
    }
  }
}

/**
 * How many notifications `userId` has not read, as it is at this moment; undefined until it is known, and for nobody. A tab that is
 * not looked at asks nothing: a browser has six connections to a server for all its tabs.
 */
function useNoticeState(userId: string | null): NotificationState | undefined {
  const [known, setKnown] = useState<{ userId: string; state: NotificationState }>()
  useEffect(() => {
    if (userId === null) return undefined
    let asking: AbortController | undefined
    const tell = (state: NotificationState) => {
      setKnown({ userId, state })
      void refreshAll([list])
    }
    const look = () => {
      asking?.abort()
      asking = new AbortController()
      if (document.visibilityState === 'visible') void follow(tell, asking.signal)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      asking?.abort()
      document.removeEventListener('visibilitychange', look)
    }
  }, [userId])
  return known?.userId === userId ? known?.state : undefined
}

/** What the person was told, live, and the messages of this visit for whoever did not read them in time. */
export function Notices() {
  const { user, viewing } = useSession()
  const past = useSyncExternalStore(toast.subscribe, toast.readPast)
  const fresh = useSyncExternalStore(toast.subscribe, toast.countFresh)
  // What somebody was told is not for the eyes of those who view as them.
  const userId = viewing ? null : (user?.id ?? null)
  const unread = useNoticeState(userId)?.unread ?? 0
  const count = unread + fresh
  const shown = count > mostShown ? `${mostShown}+` : String(count)
  const button = {
    label: count === 0 ? 'Notifications' : `Notifications, ${shown} new`,
    content: (
      <>
        <IconBell size={20} aria-hidden />
        {count > 0 && (
          <span className={classes.count} aria-hidden>
            {shown}
          </span>
        )}
      </>
    ),
    onNear: () => void open().catch(() => undefined),
  }
  return (
    <>
      <BarPanel id="bar-notices" label="Notifications" button={button} onOpen={toast.markSeen}>
        {(close) => (
          <Suspense fallback={<div style={{ height: 160 }} />}>
            <NoticePanel past={past} isOwn={userId !== null} unread={unread} onFollow={close} />
          </Suspense>
        )}
      </BarPanel>
      <span className={shapes.sr} aria-live="polite">
        {unread > 0 && plural(unread, 'unread notification')}
      </span>
    </>
  )
}

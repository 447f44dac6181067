import { IconBell } from '@tabler/icons-react'
import { Suspense, useSyncExternalStore } from 'react'
import { plural } from '#web/ui/format.ts'
import { toast } from '#web/ui/toasts.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import { useSession } from '../../session/useSession.ts'
import { BarPanel } from './BarPanel.tsx'
import { useNoticeState } from './noticeState.ts'
import classes from './Topbar.module.css'
import shapes from '#web/ui/shapes.module.css'

const open = async () => (await import('./NoticePanel.tsx')).NoticePanel
const NoticePanel = onDemand(open)

const mostShown = 99

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

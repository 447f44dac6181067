import { IconBell } from '@tabler/icons-react'
import { Suspense, useSyncExternalStore } from 'react'
import { toast } from '#web/ui/toasts.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import { BarPanel } from './BarPanel.tsx'

const open = async () => (await import('./NoticePanel.tsx')).NoticePanel
const NoticePanel = onDemand(open)

/** The messages of this visit, for whoever did not read them in time. */
export function Notices() {
  const past = useSyncExternalStore(toast.subscribe, toast.readPast)
  const fresh = useSyncExternalStore(toast.subscribe, toast.countFresh)
  const button = {
    label: fresh === 0 ? 'Notifications' : `Notifications, ${fresh} new`,
    content: (
      <>
        <IconBell size={20} aria-hidden />
        {fresh > 0 && (
          <span className="bar-count" aria-hidden>
            {Math.min(fresh, 9)}
          </span>
        )}
      </>
    ),
    onNear: () => void open().catch(() => undefined),
  }
  return (
    <BarPanel id="bar-notices" label="Notifications" button={button} onOpen={toast.markSeen}>
      {() => (
        <Suspense fallback={<div className="bar-notices-wait" />}>
          <NoticePanel past={past} />
        </Suspense>
      )}
    </BarPanel>
  )
}

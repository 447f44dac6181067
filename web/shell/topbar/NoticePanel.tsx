import './notices.css'
import { IconAlertTriangle, IconBell, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useRef } from 'react'
import { RelativeTime } from '#web/ui/Time.tsx'
import { toast, type PastToast } from '#web/ui/toasts.ts'
import { useScrollStop } from './useScrollStop.ts'

const icons = { success: IconCircleCheck, danger: IconAlertTriangle, info: IconInfoCircle }

export function NoticePanel({ past }: { past: readonly PastToast[] }) {
  const title = useRef<HTMLHeadingElement>(null)
  const clear = () => {
    toast.clearPast()
    // The button that was pressed is gone now.
    title.current?.focus()
  }
  return (
    <div className="notices">
      <div className="notices-head">
        <h2 tabIndex={-1} ref={title}>
          Notifications
        </h2>
        {past.length > 0 && (
          <button type="button" className="bar-link" onClick={clear}>
            Clear
          </button>
        )}
      </div>
      {past.length === 0 ? <Nothing /> : <NoticeList past={past} />}
    </div>
  )
}

function NoticeList({ past }: { past: readonly PastToast[] }) {
  const list = useRef<HTMLUListElement>(null)
  useScrollStop(list)
  return (
    <ul ref={list} className="notices-list" aria-label="Messages of this visit, newest first">
      {past.map(({ id, tone, text, iso }) => {
        const Icon = icons[tone]
        return (
          <li key={id} data-tone={tone}>
            <Icon size={18} aria-hidden />
            <p>{text}</p>
            <RelativeTime iso={iso} />
          </li>
        )
      })}
    </ul>
  )
}

function Nothing() {
  return (
    <div className="notices-none">
      <IconBell size={24} stroke={1.4} aria-hidden />
      <strong>Nothing new</strong>
      <p>What became of your actions is kept here until you leave or reload the page.</p>
    </div>
  )
}

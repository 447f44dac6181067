import { IconAlertTriangle, IconBell, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useRef } from 'react'
import { RelativeTime } from '#web/ui/Time.tsx'
import { toast, type PastToast } from '#web/ui/feedback/toasts.ts'
import { NoticeDays } from './NoticeDays.tsx'
import { useScrollStop } from './useScrollStop.ts'
import panel from './BarPanel.module.css'
import classes from './Notices.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const icons = { success: IconCircleCheck, danger: IconAlertTriangle, info: IconInfoCircle }

type Props = {
  past: readonly PastToast[]
  /** False for whoever views as somebody else. */
  isOwn: boolean
  unread: number
  onFollow: () => void
}

export function NoticePanel({ past, isOwn, unread, onFollow }: Props) {
  const area = useRef<HTMLDivElement>(null)
  useScrollStop(area)
  return (
    <div className={`${panel.scrolls} ${classes.notices}`} ref={area}>
      {isOwn ? <NoticeDays unread={unread} onFollow={onFollow} /> : <NotYours />}
      {past.length > 0 && <Visit past={past} />}
    </div>
  )
}

/** What the person at the keyboard has done themselves since the page was loaded. */
function Visit({ past }: { past: readonly PastToast[] }) {
  const clear = () => {
    // The button that was pressed goes with the messages.
    document.querySelector<HTMLElement>('#bar-notices h2')?.focus()
    toast.clearPast()
  }
  return (
    <section aria-labelledby="notices-visit">
      <div className={`${shapes.spaceBetween} ${classes.head}`}>
        <h2 id="notices-visit">This visit</h2>
        <button type="button" className={shapes.link} onClick={clear}>
          Clear
        </button>
      </div>
      <ul className={classes.list} aria-label="Messages of this visit, newest first">
        {past.map(({ id, tone, text, iso }) => {
          const Icon = icons[tone]
          return (
            <li key={id} data-tone={tone}>
              <Icon size={18} aria-hidden />
              <p>{text}</p>
              <small>
                <RelativeTime iso={iso} isPart />
              </small>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function NotYours() {
  return (
    <div className={shapes.missing}>
      <IconBell size={24} stroke={1.4} aria-hidden />
      <h2 tabIndex={-1}>Not shown</h2>
      <p className={shapes.hint}>What this person was told is for them alone.</p>
    </div>
  )
}

import { Button } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Impersonation } from '#contract/identity/auth.ts'
import { sentence } from '#web/api/errors.ts'
import { restoreSession } from '#web/api/restore.ts'
import { plural } from '#web/ui/format.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { endViewing } from './viewing.ts'
import classes from './ViewingBanner.module.css'
import shapes from '#web/ui/look/shapes.module.css'

/** Says for as long as it lasts that a superadmin looks through the eyes of somebody else. */
export function ViewingBanner({ viewing, name }: { viewing: Impersonation; name: string }) {
  const [isBusy, setBusy] = useState(false)
  const banner = useRoom()
  const minutes = useMinutes(viewing.until)
  const stop = async () => {
    setBusy(true)
    try {
      await endViewing()
    } catch (error) {
      toast.failure(sentence(error))
      setBusy(false)
    }
  }
  return (
    <section
      ref={banner}
      className={`${shapes.spaceBetween} ${classes.viewing}`}
      aria-label="Viewing as somebody else"
    >
      <div className={classes.text} role="status">
        <span>
          {viewing.by}, you see the console as <strong>{name}</strong> does. Nothing can be changed.
        </span>
        <small>Reason: {viewing.reason}</small>
      </div>
      <div className={shapes.row}>
        <span>{minutes < 1 ? 'Less than a minute' : plural(minutes, 'minute')} left</span>
        <Button size="xs" loading={isBusy} onClick={() => void stop()}>
          Stop viewing
        </Button>
      </div>
    </section>
  )
}

/** What stands at the lower edge of the window makes room for it, however many lines it has. */
function useRoom() {
  const banner = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const root = document.documentElement
    const measure = () => root.style.setProperty('--viewing-h', `${banner.current?.offsetHeight ?? 0}px`)
    const observer = new ResizeObserver(measure)
    if (banner.current) observer.observe(banner.current)
    root.dataset['viewing'] = ''
    return () => {
      observer.disconnect()
      root.style.removeProperty('--viewing-h')
      delete root.dataset['viewing']
    }
  }, [])
  return banner
}

const minute = 60_000

/** Minutes left. Asks the server each minute, and at the end: it may be over sooner, and the console is then one's own again. */
function useMinutes(until: string): number {
  const end = new Date(until).getTime()
  const [now, setNow] = useState(() => Date.now())
  const left = end - now
  useEffect(() => {
    const timer = setTimeout(
      () => {
        setNow(Date.now())
        void restoreSession().catch(() => undefined)
      },
      Math.max(1_000, Math.min(minute, left + 1_000)),
    )
    return () => clearTimeout(timer)
  }, [left])
  return Math.max(0, Math.floor(left / minute))
}

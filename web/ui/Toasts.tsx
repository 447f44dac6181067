import { Button, CloseButton } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import { toast, type Toast } from './toasts.ts'
import shapes from './shapes.module.css'
import classes from './Toasts.module.css'

const icons = { success: IconCircleCheck, danger: IconAlertTriangle, info: IconInfoCircle }

/** Where toasts appear, above what else stands in that corner. They are announced, and wait while the pointer or the focus is on them. */
export function Toasts({ children }: { children?: ReactNode }) {
  const toasts = useSyncExternalStore(toast.subscribe, toast.read)
  return (
    <section
      className={classes.toasts}
      data-part="toasts"
      aria-label="Messages"
      aria-live="polite"
      aria-relevant="additions"
    >
      {toasts.map((one) => (
        <ToastCard key={one.id} {...one} />
      ))}
      {children}
    </section>
  )
}

function ToastCard({ id, tone, text, lifeMs, action }: Toast) {
  const [isPaused, setPaused] = useState(false)
  const left = useRef(lifeMs)
  useEffect(() => {
    if (isPaused) return
    const start = performance.now()
    const timer = setTimeout(() => toast.dismiss(id), left.current)
    return () => {
      clearTimeout(timer)
      left.current -= performance.now() - start
    }
  }, [id, isPaused])
  const Icon = icons[tone]
  const hold = { onMouseEnter: () => setPaused(true), onFocus: () => setPaused(true) }
  const go = { onMouseLeave: () => setPaused(false), onBlur: () => setPaused(false) }
  return (
    <div
      className={`${shapes.rise} ${classes.toast}`}
      data-float
      data-tone={tone}
      data-part="toast"
      data-paused={isPaused || undefined}
      {...hold}
      {...go}
    >
      <Icon size={20} aria-hidden />
      <p>{text}</p>
      {action && (
        <Button
          variant="subtle"
          size="compact-md"
          onClick={() => {
            toast.dismiss(id)
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <CloseButton size="md" aria-label="Dismiss the message" onClick={() => toast.dismiss(id)} />
      <span className={classes.time} style={{ animationDuration: `${lifeMs}ms` }} />
    </div>
  )
}

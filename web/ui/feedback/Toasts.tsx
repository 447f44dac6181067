import { Button, CloseButton } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useState, useSyncExternalStore, type ReactNode } from 'react'
import { useLife } from '../browser/life.ts'
import { toast, type Toast } from './toasts.ts'
import shapes from '../look/shapes.module.css'
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

function ToastCard({ id, tone, text, until, action }: Toast) {
  const card = useLife<HTMLDivElement>(until, () => toast.dismiss(id))
  const Icon = icons[tone]
  return (
    <div
      ref={card}
      className={`${shapes.rise} ${classes.toast}`}
      data-float
      data-tone={tone}
      data-part="toast"
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
      <TimeLeft until={until} />
    </div>
  )
}

/** A line that shrinks until the card goes. */
export function TimeLeft({ until }: { until: number }) {
  const [left] = useState(() => Math.max(0, until - Date.now()))
  return <span className={classes.time} style={{ animationDuration: `${left}ms` }} />
}

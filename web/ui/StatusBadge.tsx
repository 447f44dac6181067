import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconInfoCircle,
  type Icon,
} from '@tabler/icons-react'

import { Tip } from './Tip.tsx'
import classes from './StatusBadge.module.css'

export type Tone = 'success' | 'warning' | 'danger' | 'info' | 'neutral' | 'running'

const icons: Record<Tone, Icon> = {
  success: IconCircleCheck,
  warning: IconAlertTriangle,
  danger: IconCircleX,
  info: IconInfoCircle,
  neutral: IconCircleDashed,
  running: IconClock,
}

/** A state as word, icon and colour; never as colour alone. `title` says what it means, to every way of pointing at it. */
export function StatusBadge({ tone, children, title }: { tone: Tone; children: string; title?: string }) {
  const Icon = icons[tone]
  const content = (
    <>
      <Icon size={14} aria-hidden />
      {children}
    </>
  )
  if (title === undefined)
    return (
      <span className={classes.badge} data-tone={tone} data-part="badge">
        {content}
      </span>
    )
  return (
    <Tip
      className={classes.badge}
      data-tone={tone}
      data-part="badge"
      text={title}
      label={`${children}: ${title}`}
    >
      {content}
    </Tip>
  )
}

import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconInfoCircle,
  IconProgress,
  type Icon,
} from '@tabler/icons-react'

import { Tip } from '../overlays/Tip.tsx'
import classes from './StatusBadge.module.css'

export type Tone = 'success' | 'warning' | 'danger' | 'info' | 'neutral' | 'running'

export const icons: Record<Tone, Icon> = {
  success: IconCircleCheck,
  warning: IconAlertTriangle,
  danger: IconCircleX,
  info: IconInfoCircle,
  neutral: IconCircleDashed,
  running: IconProgress,
}

/** A state in words. An icon of its own tells apart what has the same tone and stands in one view. */
export type Label = { word: string; tone: Tone; icon?: Icon; means: string }

type Props = { tone: Tone; icon?: Icon | undefined; children: string; title?: string }

/**
 * A state as word and icon; on a ground of its colour only where somebody has to do something about it, so that it stands out from what
 * is as it should be. `title` says what it means, to every way of pointing at it.
 */
export function StatusBadge({ tone, icon: Icon = icons[tone], children, title }: Props) {
  const content = (
    <>
      <Icon size={16} aria-hidden />
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

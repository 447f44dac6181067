import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconInfoCircle,
  type Icon,
} from '@tabler/icons-react'

export type Tone = 'success' | 'warning' | 'danger' | 'info' | 'neutral' | 'running'

const icons: Record<Tone, Icon> = {
  success: IconCircleCheck,
  warning: IconAlertTriangle,
  danger: IconCircleX,
  info: IconInfoCircle,
  neutral: IconCircleDashed,
  running: IconClock,
}

/** A state as word, icon and colour; never as colour alone. */
export function StatusBadge({ tone, children, title }: { tone: Tone; children: string; title?: string }) {
  const Icon = icons[tone]
  return (
    <span className="ui-badge" data-tone={tone} title={title}>
      <Icon size={14} aria-hidden />
      {children}
    </span>
  )
}

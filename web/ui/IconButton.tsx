import { ActionIcon } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { MouseEvent, Ref } from 'react'

type Props = {
  icon: Icon
  /** Its name where it is read aloud: "Remove Ada Lovelace". */
  label: string
  /** What is shown beside it, where that is shorter: "Remove". */
  title?: string | undefined
  /** Why it does nothing at present; shown instead, and the button can still be reached. */
  cannot?: string | false
  tone?: 'plain' | 'quiet' | 'danger'
  size?: 28 | 32 | 36
  isBordered?: boolean
  isBusy?: boolean
  isExpanded?: boolean
  /** Of the icon, which is turned round in other directions of writing. */
  iconClass?: string
  ref?: Ref<HTMLButtonElement> | undefined
  onClick: (event: MouseEvent<HTMLButtonElement>) => void
}

const colors = { plain: {}, quiet: { color: 'gray' }, danger: { color: 'red' } }

/** A button that shows an icon alone. */
export function IconButton({ ref, icon: Shown, label, title = label, cannot = false, ...rest }: Props) {
  const {
    tone = 'plain',
    size = 32,
    isBordered = false,
    isBusy = false,
    isExpanded,
    iconClass,
    onClick,
  } = rest
  return (
    <ActionIcon
      ref={ref}
      variant={isBordered ? 'default' : 'subtle'}
      {...colors[tone]}
      size={size}
      loading={isBusy}
      aria-label={label}
      aria-expanded={isExpanded}
      aria-disabled={cannot !== false}
      title={cannot || title}
      onClick={(event) => cannot === false && onClick(event)}
    >
      <Shown className={iconClass} size={size === 28 ? 16 : 18} aria-hidden />
    </ActionIcon>
  )
}

import { ActionIcon } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { MouseEvent, Ref } from 'react'
import { shows, tip } from './tips.ts'

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
      {...(cannot ? tip(cannot) : shows(title))}
      onClick={(event) => cannot === false && onClick(event)}
    >
      <Shown className={iconClass} size={size === 28 ? 16 : 18} aria-hidden />
    </ActionIcon>
  )
}

type LinkProps = Pick<Props, 'icon' | 'label' | 'title' | 'size' | 'isBordered'> & {
  /** What a `Link` of the router takes. */
  way: object
  'data-edit'?: string
}

/** The same where it leads somewhere. */
export function IconLink(props: LinkProps) {
  const { icon: Shown, label, title = label, size = 32, isBordered = false, way, ...rest } = props
  return (
    <ActionIcon
      {...rest}
      renderRoot={(given) => <Link {...given} {...way} />}
      variant={isBordered ? 'default' : 'subtle'}
      size={size}
      aria-label={label}
      {...shows(title)}
    >
      <Shown size={18} aria-hidden />
    </ActionIcon>
  )
}

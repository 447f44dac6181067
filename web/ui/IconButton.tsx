import { Loader } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { MouseEvent, Ref } from 'react'
import { shows, tip } from './overlays/tips.ts'
import classes from './IconButton.module.css'

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
  iconClass?: string | undefined
  ref?: Ref<HTMLButtonElement> | undefined
  onClick: (event: MouseEvent<HTMLButtonElement>) => void
}

/** Mantine's `ActionIcon` is twice the elements, and works out the colours of each: a list has fifty of these. */
export const iconLook = (size: number, isBordered = false) => ({
  className: `${classes.button} mantine-focus-auto mantine-active`,
  'data-icon': true,
  'data-size': size,
  'data-bordered': isBordered || undefined,
})

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
    <button
      ref={ref}
      type="button"
      {...iconLook(size, isBordered)}
      data-tone={tone}
      disabled={isBusy}
      aria-busy={isBusy || undefined}
      aria-label={label}
      aria-expanded={isExpanded}
      aria-disabled={cannot !== false}
      {...(cannot ? tip(cannot) : shows(title))}
      onClick={(event) => cannot === false && onClick(event)}
    >
      {isBusy ? (
        <Loader color="currentColor" size={size * 0.55} />
      ) : (
        <Shown className={iconClass} size={size === 28 ? 16 : 18} aria-hidden />
      )}
    </button>
  )
}

type LinkProps = Pick<Props, 'icon' | 'label' | 'title' | 'size' | 'isBordered'> & {
  /** What a `Link` of the router takes. */
  way: { to: string }
}

/** The same where it leads somewhere. */
export function IconLink(props: LinkProps) {
  const { icon: Shown, label, title = label, size = 32, isBordered = false, way } = props
  return (
    <Link {...iconLook(size, isBordered)} aria-label={label} {...shows(title)} {...way}>
      <Shown size={18} aria-hidden />
    </Link>
  )
}

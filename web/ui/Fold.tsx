import { IconChevronDown } from '@tabler/icons-react'
import type { DetailedHTMLProps, DetailsHTMLAttributes, ReactNode } from 'react'
import classes from './Fold.module.css'

type Props = DetailedHTMLProps<DetailsHTMLAttributes<HTMLDetailsElement>, HTMLDetailsElement> & {
  /** The line that is always there, and opens the rest. */
  line: ReactNode
}

/** A line with more behind it, which the chevron at its end says. */
export function Fold({ line, children, ...details }: Props) {
  return (
    <details {...details}>
      <summary className={classes.line}>
        {line}
        <IconChevronDown size={16} aria-hidden data-screen-only />
      </summary>
      {children}
    </details>
  )
}

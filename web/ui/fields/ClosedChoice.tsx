import { InputBase } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { Suspense, useState, type ReactNode } from 'react'

type Props = {
  className?: string | undefined
  /** What is chosen from: "Organization". */
  label: string
  /** What is chosen now. */
  text: string
  /** Whether its label stands above it. */
  isLabelled?: boolean
  /** The list with its search, fetched on demand. */
  children: ReactNode
}

/** A choice that looks like one and is none yet: its list comes when somebody opens it, because a page has better things to fetch first. */
export function ClosedChoice({ className = '', label, text, isLabelled = false, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const open = () => setOpen(true)
  const closed = (
    <InputBase
      className={className}
      component="button"
      type="button"
      pointer
      label={isLabelled && label}
      aria-label={`${label}: ${text}`}
      aria-expanded={false}
      aria-haspopup="listbox"
      onClick={open}
      onKeyDown={(event) => event.key === 'ArrowDown' && open()}
      rightSection={<IconSelector size={16} aria-hidden />}
    >
      {text}
    </InputBase>
  )
  return isOpen ? <Suspense fallback={closed}>{children}</Suspense> : closed
}

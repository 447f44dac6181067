import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'

type Props = {
  title: string
  icon: ReactNode
  children: ReactNode
  /** Looks further back; not given where that is not possible. */
  onLonger: (() => void) | undefined
  /** What to do when there is nothing further back either. */
  next: ReactNode
}

/** A period without anything: first look further back, then do something about it. */
export function Nothing({ title, icon, children, onLonger, next }: Props) {
  const longer = onLonger && (
    <Button variant="default" onClick={onLonger}>
      Show the last 12 months
    </Button>
  )
  return (
    <EmptyState title={title} icon={icon} action={longer ?? next}>
      {children}
    </EmptyState>
  )
}

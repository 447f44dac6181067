import { Button } from '@mantine/core'
import { IconDots, type Icon } from '@tabler/icons-react'
import type { HistoryState } from '@tanstack/react-router'
import { Suspense, useId, useRef, useState } from 'react'
import { iconLook } from './IconButton.tsx'
import { onDemand } from './onDemand.tsx'
import { shows } from './tips.ts'
import classes from './RowMenu.module.css'

const Panel = onDemand(async () => (await import('./RowMenuPanel.tsx')).RowMenuPanel)

/** What can be done with a row: leads somewhere, or does something, told the button to which the focus returns. */
export type RowAct = {
  icon: Icon
  label: string
  isDangerous?: boolean
} & ({ way: { to: string; state?: HistoryState } } | { onPress: (button: HTMLElement) => void })

type Props = {
  /** What the row is called. */
  name: string
  /** Where there is none, nothing is drawn. */
  acts: readonly (RowAct | false)[]
  /** The one that is wanted most: while the row is pointed at or has the focus, it stands beside the menu as well. */
  direct?: { label: string; name: string; onPress: () => void } | false
  /** The row whose form opens over the list: the key `e` does so too. */
  edits?: string | undefined
  isBusy?: boolean
}

/** Three dots at the end of a row, with all that can be done with it. */
export function RowMenu({ name, acts: given, direct, edits, isBusy = false }: Props) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const label = `Actions for ${name}`
  const acts = given.filter((act) => act !== false)
  if (acts.length === 0) return null
  return (
    <>
      {direct && (
        <Button
          className={classes.direct ?? ''}
          size="xs"
          variant="default"
          aria-label={direct.name}
          loading={isBusy}
          onClick={direct.onPress}
        >
          {direct.label}
        </Button>
      )}
      <button
        ref={button}
        type="button"
        {...iconLook(32)}
        className={`${iconLook(32).className} ${classes.dots}`}
        data-edit={edits}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-busy={isBusy || undefined}
        aria-disabled={isBusy}
        {...shows('Actions')}
        {...(isOpen ? { popoverTarget: id } : {})}
        onClick={(event) => {
          // While it is open the browser itself closes it; with the press that opens it, it would close it at once.
          if (!isOpen) event.preventDefault()
          setOpen(!isBusy)
        }}
      >
        <IconDots size={18} aria-hidden />
      </button>
      {isOpen && (
        <Suspense>
          <Panel {...{ id, label, acts, button }} onClosed={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

import { Button } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import './part.css'

type Props = {
  /** What is left of the list. */
  says: string
  onAll: () => void
}

/** Says that a list shows only what somebody was led to, with the way back to all of it. */
export function OnlyThese({ says, onAll }: Props) {
  return (
    <p className="ui-only">
      <IconFilter size={16} aria-hidden />
      <span>
        Only these: <strong>{says}</strong>
      </span>
      <Button variant="subtle" size="compact-md" onClick={onAll}>
        Show all
      </Button>
    </p>
  )
}

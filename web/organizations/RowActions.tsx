import { ActionIcon } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { MouseEvent } from 'react'

type Props = {
  /** What the row is called. */
  name: string
  editPath?: string | undefined
  onRemove?: ((event: MouseEvent<HTMLElement>) => void) | undefined
  removeLabel?: string
}

/** Edit and remove at the end of a row. */
export function RowActions({ name, editPath, onRemove, removeLabel = `Remove ${name}` }: Props) {
  return (
    <>
      {editPath && (
        <ActionIcon
          component={Link}
          to={editPath}
          variant="subtle"
          size={32}
          aria-label={`Edit ${name}`}
          title="Edit"
        >
          <IconPencil size={18} aria-hidden />
        </ActionIcon>
      )}
      {onRemove && (
        <ActionIcon
          variant="subtle"
          color="red"
          size={32}
          aria-label={removeLabel}
          title={removeLabel}
          onClick={onRemove}
        >
          <IconTrash size={18} aria-hidden />
        </ActionIcon>
      )}
    </>
  )
}

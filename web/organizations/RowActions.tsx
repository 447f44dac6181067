import { ActionIcon } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { IconButton } from '#web/ui/IconButton.tsx'
import { Link } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { toSide } from '../layout/side.ts'

type Props = {
  /** What the row is called. */
  name: string
  /** The row whose form opens over the list. */
  edits?: string | undefined
  onRemove?: ((event: MouseEvent<HTMLElement>) => void) | undefined
  removeLabel?: string
}

/** Edit and remove at the end of a row. */
export function RowActions({ name, edits, onRemove, removeLabel = `Remove ${name}` }: Props) {
  return (
    <>
      {edits && (
        <ActionIcon
          renderRoot={(props) => <Link {...props} {...toSide(edits)} />}
          variant="subtle"
          size={32}
          aria-label={`Edit ${name}`}
          title="Edit"
          data-edit={edits}
        >
          <IconPencil size={18} aria-hidden />
        </ActionIcon>
      )}
      {onRemove && (
        <IconButton
          tone="danger"
          icon={IconTrash}
          label={removeLabel}

          onClick={onRemove}
        />
      )}
    </>
  )
}

import { IconPencil, IconTrash } from '@tabler/icons-react'
import { IconButton, IconLink } from '#web/ui/IconButton.tsx'
import type { MouseEvent } from 'react'
import { toSide } from '../layout/side.ts'

type Props = {
  /** What the row is called. */
  name: string
  /** The row whose form opens over the list. */
  edits?: string | undefined
  onRemove?: ((event: MouseEvent<HTMLElement>) => void) | undefined
}

/** Edit and remove at the end of a row. */
export function RowActions({ name, edits, onRemove }: Props) {
  return (
    <>
      {edits && (
        <IconLink
          icon={IconPencil}
          label={`Edit ${name}`}
          title="Edit"
          way={toSide(edits)}
          data-edit={edits}
        />
      )}
      {onRemove && (
        <IconButton
          tone="danger"
          icon={IconTrash}
          label={`Remove ${name}`}

          onClick={onRemove}
        />
      )}
    </>
  )
}

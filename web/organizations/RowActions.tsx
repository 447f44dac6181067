import { IconPencil, IconTrash } from '@tabler/icons-react'
import { toSide } from '../layout/side.ts'
import { RowMenu } from '../ui/table/RowMenu.tsx'

type Props = {
  /** What the row is called. */
  name: string
  /** The row whose form opens over the list. */
  edits: string
  onRemove?: ((button: HTMLElement) => void) | undefined
}

/** Edit and remove at the end of a row. */
export const RowActions = ({ name, edits, onRemove }: Props) => (
  <RowMenu
    name={name}
    edits={edits}
    acts={[
      { icon: IconPencil, label: 'Edit', way: toSide(edits) },
      onRemove !== undefined && { icon: IconTrash, label: 'Remove', isDangerous: true, onPress: onRemove },
    ]}
  />
)

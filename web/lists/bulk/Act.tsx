import { Button } from '@mantine/core'
import type { IconTrash } from '@tabler/icons-react'

type Props = {
  icon: typeof IconTrash
  label: string
  onClick: () => void
  isBusy?: boolean
  isDangerous?: boolean
}

/** A button of the bar of a selection. */
export function Act({ icon: Icon, label, onClick, isBusy = false, isDangerous = false }: Props) {
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={<Icon size={16} aria-hidden />}
      loading={isBusy}
      data-tone={isDangerous ? 'danger' : undefined}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}

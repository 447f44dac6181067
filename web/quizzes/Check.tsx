import '#web/ui/fields/fields.ts'
import '@mantine/core/styles/Checkbox.layer.css'
import { Checkbox } from '@mantine/core'
import { useId, type ReactNode } from 'react'

type Props = {
  label: string
  hint?: ReactNode
  isChecked: boolean
  onChange: (isChecked: boolean) => void
}

/** A box to tick, with what it means. */
export function Check({ label, hint, isChecked, onChange }: Props) {
  const id = useId()
  return (
    <Checkbox
      label={label}
      description={hint && <span id={id}>{hint}</span>}
      aria-describedby={hint ? id : undefined}
      checked={isChecked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}

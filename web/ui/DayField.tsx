import { TextInput } from '@mantine/core'
import { useTyped } from './typed.ts'

type Props = {
  label: string
  /** '' for none. */
  value: string
  onChange: (day: string) => void
}

/** A day by which a list is narrowed. */
export function DayField({ label, value, onChange }: Props) {
  const [day, setDay] = useTyped(value, (typed) => {
    // While its year is typed, a day is one of the first centuries.
    if (typed === '' || typed >= '1900') onChange(typed)
  })
  return (
    <TextInput
      type="date"
      label={label}
      value={day}
      onChange={({ currentTarget }) => setDay(currentTarget.value)}
    />
  )
}

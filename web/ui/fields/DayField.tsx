import { TextInput } from '@mantine/core'
import { formatDay } from '../format.ts'
import { useTyped } from './typed.ts'

type Props = {
  label: string
  /** '' for none. */
  value: string
  onChange: (day: string) => void
  /** The days that can be chosen, both among them. While its year is typed, a day is one of the first centuries. */
  from?: string | undefined
  until?: string | undefined
}

/** A day by which a list is narrowed. */
export function DayField({ label, value, onChange, from = '1900-01-01', until = '9999-12-31' }: Props) {
  const isThere = (typed: string) => typed >= from && typed <= until
  const [day, setDay] = useTyped(value, (typed) => {
    if (typed === '' || isThere(typed)) onChange(typed)
  })
  const isTyped = day >= '1900'
  return (
    <TextInput
      type="date"
      label={label}
      value={day}
      min={from}
      max={until}
      error={isTyped && !isThere(day) && `There are days from ${formatDay(from)} to ${formatDay(until)}.`}
      onChange={({ currentTarget }) => setDay(currentTarget.value)}
    />
  )
}

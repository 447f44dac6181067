import { TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'

type Props = {
  label: ReactNode
  description?: string
  /** Null: nothing is there. */
  value: number | null
  least: number
  most: number
  isWhole?: boolean
  error?: string | undefined
  placeholder?: string
  /** Null only where `isOptional`. */
  onChange: (value: number | null) => void
  isOptional?: boolean
}

/** A number as it is typed; what is no number, or not in its limits, says so and changes nothing. */
export function DecimalField(props: Props) {
  const { value, least, most, isWhole = false, isOptional = false, onChange, error, ...input } = props
  const [typed, setTyped] = useState<string | null>(null)
  const present = value === null ? '' : String(value)
  const fault = typed === null ? undefined : faultOf(typed, { least, most, isWhole, isOptional })
  const change = (text: string) => {
    setTyped(text)
    if (faultOf(text, { least, most, isWhole, isOptional }) === undefined) onChange(numberOf(text))
  }
  return (
    <TextInput
      {...input}
      value={typed ?? present}
      error={fault ?? error}
      inputMode="decimal"
      autoComplete="off"
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => fault === undefined && setTyped(null)}
    />
  )
}

const numberOf = (text: string): number | null =>
  text.trim() === '' ? null : Number(text.trim().replace(',', '.'))

type Limits = Required<Pick<Props, 'least' | 'most' | 'isWhole' | 'isOptional'>>

function faultOf(text: string, { least, most, isWhole, isOptional }: Limits): string | undefined {
  const value = numberOf(text)
  if (value === null) return isOptional ? undefined : 'Please fill this in.'
  if (!Number.isFinite(value)) return 'This is not a number. Write it like 1250 or 12.5.'
  if (isWhole && !Number.isInteger(value)) return 'Only whole numbers.'
  if (value < least) return `At least ${least}.`
  return value > most ? `At most ${most}.` : undefined
}

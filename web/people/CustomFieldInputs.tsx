import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listFields, type Field } from '#contract/directory/fields.ts'
import { fieldId } from '../api/form.ts'
import { queryOf } from '../api/query.ts'
import { optional } from '../ui/Field.tsx'
import { NativeChoice } from '../ui/NativeChoice.tsx'

type Props = {
  orgId: string
  /** By key; what is empty takes the present value away. */
  values: Readonly<Record<string, string>>
  errors: Readonly<Record<string, unknown>>
  onChange: (values: Record<string, string>) => void
}

/** The fields of the organization's own, each typed as what it holds. */
export function CustomFieldInputs({ orgId, values, errors, onChange }: Props) {
  const { data } = useQuery(queryOf(listFields, { params: { orgId } }))
  return data?.items.map((field) => (
    <Input
      key={field.key}
      field={field}
      value={values[field.key] ?? ''}
      error={errors[`customFields.${field.key}`]}
      onChange={(value) => onChange({ ...values, [field.key]: value })}
    />
  ))
}

type InputProps = { field: Field; value: string; error: unknown; onChange: (value: string) => void }

function Input({ field: { key, label, type, options }, value, error, onChange }: InputProps) {
  const name = `customFields.${key}`
  const common = {
    id: fieldId(name),
    name,
    label: optional(label),
    error: typeof error === 'string' ? error : undefined,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  if (type !== 'choice')
    return (
      <TextInput
        {...common}
        autoComplete="off"
        maxLength={500}
        type={type === 'date' ? 'date' : 'text'}
        {...(type === 'number' ? { inputMode: 'decimal' as const } : {})}
      />
    )
  const isKept = value !== '' && !options.includes(value)
  const data = [
    { value: '', label: 'Not filled in' },
    ...options.map((option) => ({ value: option, label: option })),
    ...(isKept ? [{ value, label: `${value} (no longer offered)` }] : []),
  ]
  return <NativeChoice {...common} data={data} />
}

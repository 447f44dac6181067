import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listFields, type Field } from '#contract/fields.ts'
import { queryOf } from '#web/api/query.ts'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'

/** Such as `site:Berlin`; a value may hold further colons. */
function partsOf(value: string | undefined): [key: string, is: string] {
  const colon = value?.indexOf(':') ?? -1
  return value === undefined || colon < 0 ? ['', ''] : [value.slice(0, colon), value.slice(colon + 1)]
}

/** The filter in the words of the organization; the key stands in until its label is known. */
export function useFieldText(orgId: string, value: string | undefined): string {
  const [key, is] = partsOf(value)
  const { data } = useQuery({ ...queryOf(listFields, { params: { orgId } }), enabled: value !== undefined })
  return `${data?.items.find((field) => field.key === key)?.label ?? key}: ${is}`
}

type Props = { orgId: string; value: string | undefined; onChange: (value: string | undefined) => void }

/** One of the organization's own fields, and what it has to hold. Nothing where there is no such field. */
export function FieldChoice({ orgId, value, onChange }: Props) {
  const { data } = useQuery(queryOf(listFields, { params: { orgId } }))
  const fields = data?.items ?? []
  const [key, is] = partsOf(value)
  const field = fields.find((one) => one.key === key)
  if (fields.length === 0) return null
  return (
    <div className="org-days">
      <NativeChoice
        label="Own field"
        data={[{ value: '', label: 'Any' }, ...fields.map((one) => ({ value: one.key, label: one.label }))]}
        value={key}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? undefined : `${currentTarget.value}:`)
        }
      />
      {field && <Value field={field} value={is} onChange={(next) => onChange(`${key}:${next}`)} />}
    </div>
  )
}

type ValueProps = { field: Field; value: string; onChange: (value: string) => void }

function Value({ field: { label, type, options }, value, onChange }: ValueProps) {
  const common = {
    label: `${label} is`,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  if (type !== 'choice') return <TextInput {...common} type={type === 'date' ? 'date' : 'text'} />
  const data = ['', ...options].map((option) => ({ value: option, label: option || 'Choose' }))
  return <NativeChoice {...common} data={data} />
}

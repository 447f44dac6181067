import { NativeChoice } from './NativeChoice.tsx'

type Props<Value extends string> = {
  /** What is chosen by it, for people who cannot see the list. */
  label: string
  /** The words of no choice. */
  none: string
  options: readonly (readonly [Value, string])[]
  value: Value | '' | undefined
  onChange: (value: Value | undefined) => void
}

/** One of the lists to choose from above a table. */
export function FilterChoice<Value extends string>({ label, none, options, value, onChange }: Props<Value>) {
  return (
    <NativeChoice
      className="ui-filter-choice"
      aria-label={label}
      data={[{ value: '', label: none }, ...options.map(([one, words]) => ({ value: one, label: words }))]}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(options.find(([one]) => one === currentTarget.value)?.[0])}
    />
  )
}

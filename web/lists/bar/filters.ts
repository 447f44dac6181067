import type { ReactNode } from 'react'

/** What a list can be narrowed by. */
export type Filter = {
  /** What is chosen: "State". Its chip says it before what is chosen: "State: Active". */
  label: string
  /** What it is set to, in words; null while it lets everything through. */
  chosen: ReactNode
  /** Lets everything through again. */
  clear: () => void
  /** What it can be set to, or its field; null where it is only set by a link that led here. */
  field: Values | ReactNode
}

/** Some of them say how many there are of each, before anything is asked; '' is none. */
export type Values = {
  none: string
  options: readonly (readonly [value: string, words: string, count?: ReactNode])[]
  value: string
  onChoose: (value: string) => void
}

/** The values of a filter by one of a few words. */
export const valuesOf = ({ field }: Filter): Values | null =>
  typeof field === 'object' && field !== null && 'options' in field ? field : null

type Choice<Value extends string> = {
  label: string
  /** The words of no choice. */
  none: string
  options: readonly (readonly [value: Value, words: string, count?: ReactNode])[]
  value: Value | '' | undefined
  onChange: (value: Value | undefined) => void
}

/** A filter by one of a few words. */
export function choice<Value extends string>({
  label,
  none,
  options,
  value,
  onChange,
}: Choice<Value>): Filter {
  return {
    label,
    chosen: options.find(([one]) => one === value)?.[1] ?? null,
    clear: () => onChange(undefined),
    field: {
      none,
      options,
      value: value ?? '',
      onChoose: (chosen) => onChange(options.find(([one]) => one === chosen)?.[0]),
    },
  }
}

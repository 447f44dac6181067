import type { ReactNode } from 'react'

/** What a list can be narrowed by. */
export type Filter = {
  /** What is chosen: "State". Its chip says it before what is chosen: "State: Active". */
  label: string
  /** What it is set to, in words; null while it lets everything through. */
  chosen: ReactNode
  /** Lets everything through again. */
  clear: () => void
  /** Its field in the panel of filters; null where it is only set by a link that led here. */
  field: { none: string; options: Options; value: string; onChoose: (value: string) => void } | ReactNode
}

type Options = readonly (readonly [value: string, words: string])[]

type Choice<Value extends string> = {
  label: string
  /** The words of no choice. */
  none: string
  options: readonly (readonly [Value, string])[]
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

/** Those that are on. */
export function active(filters: readonly Filter[]): readonly Filter[] {
  return filters.filter(({ chosen }) => chosen !== null)
}

import type { Icon } from '@tabler/icons-react'
import { useId } from 'react'
import classes from './Segments.module.css'

type Props<Value extends string> = {
  /** What is chosen. */
  legend: string
  options: readonly { value: Value; label: string; icon?: Icon }[]
  value: Value | undefined
  onChange: (value: Value) => void
  className?: string | undefined
}

/** A few choices side by side, one of which holds; it takes effect at once. */
export function Segments<Value extends string>(props: Props<Value>) {
  const { legend, options, value: chosen, onChange, className } = props
  const name = useId()
  return (
    <fieldset className={className}>
      <legend>{legend}</legend>
      <div className={classes.segments}>
        {options.map(({ value, label, icon: Shown }) => (
          <label key={value}>
            <input
              type="radio"
              name={name}
              value={value}
              checked={value === chosen}
              onChange={() => onChange(value)}
              // Also a press on what is chosen already: a page may show something else while it is open.
              onClick={() => value === chosen && onChange(value)}
            />
            {Shown && <Shown size={18} aria-hidden />}
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

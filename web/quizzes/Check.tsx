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
    <div className="quiz-check">
      <label>
        <input
          type="checkbox"
          checked={isChecked}
          aria-describedby={hint ? id : undefined}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
      {hint && <p id={id}>{hint}</p>}
    </div>
  )
}

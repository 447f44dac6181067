import classes from './Switch.module.css'

type Props = {
  /** Which its label names. */
  id: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

/** Takes effect at once. */
export function Switch({ id, isOn, onChange }: Props) {
  return (
    <input
      id={id}
      type="checkbox"
      role="switch"
      className={classes.switch}
      checked={isOn}
      aria-checked={isOn}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  )
}

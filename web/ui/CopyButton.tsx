import { useState } from 'react'
import classes from './fields/secrets.module.css'

type Props = { text: string; label: string }

/** Copies, and says whether it did. Where the browser does not allow it (plain http), the text can still be selected. */
export function CopyButton({ text, label }: Props) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      setSaid('Please select and copy it yourself')
    }
  }
  return (
    <>
      <button type="button" className={classes.action} onClick={() => void copy()}>
        {label}
      </button>
      <span role="status" className={classes.said}>
        {said}
      </span>
    </>
  )
}

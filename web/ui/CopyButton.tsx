import { useState } from 'react'

type Props = { text: string; label: string; className?: string }

/** Copies, and says whether it did. Where the browser does not allow it (plain http), the text can still be selected. */
export function CopyButton({ text, label, className = 'secret-action' }: Props) {
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
      <button type="button" className={className} onClick={() => void copy()}>
        {label}
      </button>
      <span role="status" className="secret-said">
        {said}
      </span>
    </>
  )
}

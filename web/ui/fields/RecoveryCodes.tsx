import { CopyButton } from '../CopyButton.tsx'
import { product } from '../product.ts'
import classes from './secrets.module.css'

type Props = {
  codes: readonly string[]
  email: string
  isSaved: boolean
  onSaved: (isSaved: boolean) => void
}

const fileName = () => `${product.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-recovery-codes.txt`

function asText(codes: readonly string[], email: string): string {
  const day = new Date().toLocaleDateString('en-CA', { dateStyle: 'short' })
  return `${product.name} recovery codes for ${email}\nMade on ${day}. Each code works once.\n\n${codes.join('\n')}\n`
}

function download(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName()
  link.click()
  URL.revokeObjectURL(address)
}

/** Shown this once: to copy, to save or to print, and only then to go on. */
export function RecoveryCodes({ codes, email, isSaved, onSaved }: Props) {
  const text = asText(codes, email)
  return (
    <div className={classes.stack}>
      <ol className={classes.codes} aria-label="Recovery codes" translate="no">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className={classes.actions}>
        <CopyButton text={text} label="Copy" />
        <button type="button" className={classes.action} onClick={() => download(text)}>
          Download
        </button>
        <button type="button" className={classes.action} onClick={() => print()}>
          Print
        </button>
      </div>
      <label className={classes.saved}>
        <input type="checkbox" checked={isSaved} onChange={(event) => onSaved(event.currentTarget.checked)} />
        I have saved them
      </label>
    </div>
  )
}

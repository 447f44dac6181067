import { useRef, useState, type ReactNode } from 'react'
import classes from './Face.module.css'
import { FacePicture } from './FacePicture.tsx'
import type { FaceName } from './faces.ts'

type Props = {
  name: FaceName
  /** Of the answer, where it differs from the name. */
  code?: number | undefined
  headline: string
  sentence: string
  /** Of the failed request, for whoever looks into it. */
  reference?: string | undefined
  /** What to do next. */
  children: ReactNode
}

/** A picture, a sentence and one action: the same in the console and on the public pages. */
export function Face({
  name,
  code = typeof name === 'number' ? name : undefined,
  headline,
  sentence,
  reference,
  children,
}: Props) {
  return (
    <div className={classes.face} data-face>
      <FacePicture name={name} />
      <div className={classes.words}>
        {code !== undefined && <p className={classes.code}>Error {code}</p>}
        <h1 tabIndex={-1}>{headline}</h1>
        <p className={classes.sentence}>{sentence}</p>
        <div className={classes.actions}>{children}</div>
        {reference && <Reference id={reference} />}
      </div>
    </div>
  )
}

function Reference({ id }: { id: string }) {
  const [isCopied, setCopied] = useState(false)
  const text = useRef<HTMLElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id)
      setCopied(true)
    } catch {
      // Plain http has no clipboard; what is selected can be copied by hand.
      if (text.current) getSelection()?.selectAllChildren(text.current)
    }
  }
  return (
    <p className={classes.reference}>
      Reference <code ref={text}>{id}</code>
      <button type="button" onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{isCopied && 'Copied'}</span>
    </p>
  )
}

import type { ReactNode } from 'react'
import { showsStop } from './tips.ts'

type Props = {
  className?: string | undefined
  /** What the picture says, in words. */
  text: string
  /** Its name where it is read aloud, where that takes more than the text. */
  label?: string
  children: ReactNode
  /** Further attributes that its style asks for. */
  'data-empty'?: true | undefined
  'data-mixed'?: true | undefined
  'data-tone'?: string
}

/** A small picture with its words: read aloud as its name, shown beside it. Nothing is done by it, but Tab comes by for its words. */
export function Tip({ text, label = text, children, ...rest }: Props) {
  return (
    <span {...rest} {...showsStop(text)} role="img" aria-label={label}>
      {children}
    </span>
  )
}

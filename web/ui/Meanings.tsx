import { IconChevronDown, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Facts } from './Field.tsx'
import classes from './Meanings.module.css'

export type Meaning = { label: string; value: ReactNode }

/** The definition of every figure on the page, folded away. */
export function Meanings({ meanings }: { meanings: readonly Meaning[] }) {
  return (
    <details className={`ui-card ${classes['meanings']}`}>
      <summary>
        <IconInfoCircle size={16} aria-hidden />
        What these figures mean
        <IconChevronDown size={16} aria-hidden />
      </summary>
      <Facts facts={meanings} />
    </details>
  )
}

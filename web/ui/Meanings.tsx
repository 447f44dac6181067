import { IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Facts } from './fields/Field.tsx'
import { Fold } from './Fold.tsx'
import classes from './Meanings.module.css'
import shapes from './look/shapes.module.css'

export type Meaning = { label: string; value: ReactNode }

/** The definition of every figure on the page, folded away. */
export function Meanings({ meanings }: { meanings: readonly Meaning[] }) {
  return (
    <Fold
      className={`${shapes.card} ${classes.meanings}`}
      line={
        <>
          <IconInfoCircle size={16} aria-hidden />
          What these figures mean
        </>
      }
    >
      <Facts facts={meanings} />
    </Fold>
  )
}

import shapes from '#web/ui/look/shapes.module.css'
import classes from './Shape.module.css'

type Props = { number: number; isGate: boolean }

/** The mark of a question: square where it must be answered, round where it may be skipped; never by colour alone. */
export function Shape({ number, isGate }: Props) {
  return (
    <span className={`${shapes.disc} ${classes.shape}`} data-shape={isGate ? 'gate' : 'free'} aria-hidden>
      {number}
    </span>
  )
}

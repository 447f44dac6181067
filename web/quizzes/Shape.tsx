type Props = { number: number; isGate: boolean }

/** The mark of a question: square where it must be answered, round where it may be skipped; never by colour alone. */
export function Shape({ number, isGate }: Props) {
  return (
    <span className="quiz-shape" data-gate={isGate || undefined} aria-hidden>
      {number}
    </span>
  )
}

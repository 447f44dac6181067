import { useRef, useState } from 'react'
import { attempt } from '../api/attempt.ts'
import { undoing } from './operations/undo.ts'
import { rememberPlace } from '../ui/browser/focus.ts'
import { toast } from '../ui/feedback/toasts.ts'

/** The row that somebody wants to remove: asked about first, and afterwards the focus goes to the row beside it. */
export function useRemoval<Row>() {
  const [row, setRow] = useState<Row | null>(null)
  const goBack = useRef<(() => void) | null>(null)
  const gone = useRef(false)
  return {
    row,
    /** `currentTarget`: the button that asks. */
    ask(wanted: Row, { currentTarget }: { currentTarget: Element }) {
      goBack.current = rememberPlace(currentTarget)
      setRow(wanted)
    },
    close: () => setRow(null),
    /** Whether something was removed here, so that leaving its form loses nothing. */
    isGone: () => gone.current,
    /** Runs the removal and tells how it went, with the way back where there is one. True when it is done. */
    run(remove: () => Promise<unknown>, done: string): Promise<boolean> {
      return attempt(async () => {
        const answer = await remove()
        gone.current = true
        toast.success(done, isUndoable(answer) ? undoing(answer.operationId) : undefined)
        // The query cache has already set the timer that draws the rows without this one; only then is the row beside it found.
        setTimeout(() => requestAnimationFrame(() => goBack.current?.()))
      })
    },
  }
}

function isUndoable(answer: unknown): answer is { operationId: string } {
  return typeof answer === 'object' && answer !== null && 'operationId' in answer
}

import { useMemo, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { stepTo } from '#web/ui/plot/walk.ts'
import type { Weave } from '#contract/audience/weave.ts'
import { between, secondOf, stepOf } from './lacking.ts'

/** The step that is looked at, and where what is chosen began; null: nothing is. */
type Place = { at: number | null; since: number | null }
const nowhere: Place = { at: null, since: null }

/**
 * One stop of the keyboard for the whole cloth, as for a plot: arrow keys move a step, with Shift they choose from where they began.
 * A pointer looks where it is, and chooses what it is drawn over; then it may leave without losing that.
 */
export function usePlace(weave: Weave, onPick: () => void) {
  const [{ at, since }, setPlace] = useState(nowhere)
  const [isDrawing, setDrawing] = useState(false)
  const length = stepOf(weave)
  const count = weave.tenths?.steps.length ?? weave.seconds
  const looked = useMemo(() => {
    if (at === null) return null
    return since === null ? secondOf(at, length) : between(since, at, weave)
  }, [at, since, length, weave])
  const part = since === null ? null : looked

  function stepAt({ clientX, currentTarget }: PointerEvent<HTMLElement>): number {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(count - 1, Math.floor(((clientX - left) / width) * count)))
  }

  function press(event: KeyboardEvent): void {
    const next = stepTo(event.key, at ?? 0, count)
    if (next !== undefined) setPlace({ at: next, since: event.shiftKey ? (since ?? at ?? 0) : null })
    else if (event.key === 'Escape' && at !== null) setPlace({ at: since === null ? null : at, since: null })
    else if (event.key === 'Enter' && at !== null) onPick()
    else return
    event.preventDefault()
  }

  return {
    at,
    count,
    /** The second, or what is chosen. */
    looked,
    /** What is chosen. */
    part,
    isDrawing,
    clear: () => setPlace(nowhere),
    handlers: {
      onKeyDown: press,
      onFocus: ({ currentTarget }: { currentTarget: HTMLElement }) => {
        if (currentTarget.matches(':focus-visible')) setPlace((before) => ({ ...before, at: before.at ?? 0 }))
      },
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrawing(true)
        setPlace({ at: stepAt(event), since: stepAt(event) })
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (isDrawing || since === null) setPlace({ at: stepAt(event), since })
      },
      onPointerUp: () => setDrawing(false),
      // The finger scrolls the page.
      onPointerCancel: () => {
        setDrawing(false)
        setPlace(nowhere)
      },
      onPointerLeave: () => {
        if (!isDrawing && since === null && !document.activeElement?.matches('[data-cloth]'))
          setPlace(nowhere)
      },
    },
  }
}

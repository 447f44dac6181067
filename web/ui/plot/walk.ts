import { useState, type Dispatch, type KeyboardEvent, type PointerEvent, type SetStateAction } from 'react'

/** The point that is looked at, if any, and its change: one for all plots that are walked over together. */
export type Place = readonly [number | null, Dispatch<SetStateAction<number | null>>]

type Walk = {
  /** What is measured, and of what. */
  name: string
  /** How many points there are. */
  count: number
  /** What is true of a point, in words. */
  describe: (index: number) => string
  /** Where a walk by keyboard begins. */
  start?: 'first' | 'last'
  /** Where each point stands, as a share of the width, where they are not evenly spread. */
  places?: readonly number[]
  /** What Enter and Space do to a point, where there is something to do. */
  onPick?: ((index: number) => void) | undefined
  /** Where the plot is walked over together with others. */
  place?: Place
}

/**
 * One stop of the keyboard for a whole plot: a slider over its points, moved by arrow keys or by the pointer, whose value is read
 * aloud. Escape puts away what is shown of a point.
 */
export function useWalk({ name, count, describe, start = 'first', places, onPick, place }: Walk) {
  const own = useState<number | null>(null)
  const [chosen, setChosen] = place ?? own
  const last = Math.max(0, count - 1)
  const first = start === 'last' ? last : 0
  const index = Math.min(chosen ?? first, last)

  function point({ clientX, currentTarget, target }: PointerEvent<HTMLElement>): void {
    const { left, width } = currentTarget.getBoundingClientRect()
    const share = (clientX - left) / width
    // Those that stand close together are told apart by what is drawn for them.
    const drawn = target instanceof Element ? target.closest('[data-point]') : null
    const found = drawn
      ? Number(drawn.getAttribute('data-point'))
      : places
        ? nearest(places, share)
        : Math.floor(share * count)
    setChosen(Math.max(0, Math.min(last, found)))
  }

  function press(event: KeyboardEvent): void {
    const next = stepTo(event.key, index, count)
    if (next !== undefined) setChosen(next)
    else if (event.key === 'Escape' && chosen !== null) setChosen(null)
    else if (onPick && (event.key === 'Enter' || event.key === ' ')) onPick(index)
    else return
    event.preventDefault()
  }

  return {
    index,
    isShown: chosen !== null,
    press,
    /** What a slider needs besides its role, its value, its place in the order of Tab and its keys. */
    slider: {
      'aria-label': name,
      'aria-valuemin': 0,
      'aria-valuemax': last,
      'aria-valuetext': describe(index),
      onFocus: () => setChosen((before) => before ?? first),
      onPointerMove: point,
      onPointerDown: point,
    },
  } as const
}

/** The number of the place that is closest. */
export function nearest(places: readonly number[], share: number): number {
  const distances = places.map((place) => Math.abs(place - share))
  return distances.indexOf(Math.min(...distances))
}

/** Where a key leads from the point `index`; undefined for keys that move nothing. */
export function stepTo(key: string, index: number, count: number): number | undefined {
  const leaps: Record<string, number> = {
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    PageUp: index + 10,
    PageDown: index - 10,
    Home: 0,
    End: count - 1,
  }
  const next = leaps[key]
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next))
}

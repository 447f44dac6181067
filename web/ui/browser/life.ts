import { useEffect, useEffectEvent, useRef, type RefObject } from 'react'

/** Milliseconds between two looks at whether somebody reads it. */
const look = 500

/**
 * Ends what is told once: at its moment (milliseconds since 1970; null: not yet), which leaving for another page does not put off.
 * While the pointer or the focus is on it, or nobody sees the page, its time stands still.
 */
export function useLife<Card extends HTMLElement>(
  until: number | null,
  end: () => void,
): RefObject<Card | null> {
  const card = useRef<Card>(null)
  const onEnd = useEffectEvent(end)
  useEffect(() => {
    if (until === null) return
    let last = until
    let before = Date.now()
    let timer: ReturnType<typeof setTimeout>
    const step = () => {
      const now = Date.now()
      // Asked of the card itself: what had the focus may have gone without a word.
      if (card.current?.matches(':hover, :focus-within') || document.hidden) last += now - before
      before = now
      if (now >= last) onEnd()
      else timer = setTimeout(step, Math.min(last - now, look))
    }
    step()
    return () => clearTimeout(timer)
  }, [until])
  return card
}

import { useEffect, useState, type FocusEvent, type PointerEvent, type RefObject } from 'react'

/** Whether a narrow rail is wide for now: under the mouse, with the focus of the keyboard in it, or after a tap. */
export function useWidening(box: RefObject<HTMLElement | null>) {
  const [isWide, setWide] = useState(false)
  useEffect(() => {
    if (!isWide) return
    const onPress = ({ target }: Event) =>
      !(target instanceof Node && box.current?.contains(target)) && setWide(false)
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && setWide(false)
    document.addEventListener('pointerdown', onPress)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', onPress)
      document.removeEventListener('keydown', onKey)
    }
  }, [box, isWide])
  const listeners = {
    onPointerEnter: ({ pointerType }: PointerEvent) => pointerType === 'mouse' && setWide(true),
    onPointerLeave: ({ pointerType, currentTarget }: PointerEvent) =>
      pointerType === 'mouse' && !currentTarget.querySelector(':focus-visible') && setWide(false),
    onFocus: ({ target }: FocusEvent) => target.matches(':focus-visible') && setWide(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      const stays = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      if (!stays && !currentTarget.matches(':hover')) setWide(false)
    },
  }
  return { isWide, widen: () => setWide(true), listeners }
}

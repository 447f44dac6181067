import {
  useEffect,
  useLayoutEffect,
  useState,
  type FocusEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
} from 'react'
import { place } from '#web/ui/browser/place.ts'
import type { Path } from './useAccordion.ts'

/**
 * What flies out of a rail or a bar: one way at a time, from the top-level item down. It opens when it is pressed, and
 * where `onHover` is set under the mouse and with the focus of the keyboard as well.
 */
export function useFlyouts(box: RefObject<HTMLElement | null>, onHover: boolean) {
  const [open, setOpen] = useState<Path>([])
  useDismissal(box, open, setOpen)
  const close = (path: Path) => setOpen(path.slice(0, -1))
  const isOpen = (path: Path) => path.every((key, depth) => open[depth] === key)
  const press = (path: Path, event: MouseEvent) => {
    // Under the pointer it is open already and stays; a tap and the keyboard open and close.
    const isHeld = onHover && event.detail > 0 && canHover() && isHovered(event.currentTarget)
    if (isOpen(path) && !isHeld) close(path)
    else setOpen(path)
  }
  const hovered = (path: Path) => ({
    onPointerEnter: (event: PointerEvent) => event.pointerType === 'mouse' && setOpen(path),
    onPointerLeave: ({ pointerType, currentTarget }: PointerEvent) =>
      pointerType === 'mouse' && !currentTarget.querySelector(':focus-visible') && close(path),
    onFocus: ({ target, currentTarget, relatedTarget }: FocusEvent) => {
      const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      if (!isInside && target.matches(':focus-visible')) setOpen(path)
    },
  })
  const listen = (path: Path) => (onHover ? hovered(path) : {})
  return { isOpen, press, listen, closeAll: () => setOpen([]) }
}

const canHover = () => matchMedia('(hover: hover)').matches
/** The item and not only its button: what flies out of it counts as well. */
const isHovered = (button: Element) => button.closest('li')?.matches(':hover') ?? false

type SetPath = (path: Path) => void

/** Escape closes the innermost and gives the focus to its button; a press or the focus elsewhere closes all. */
function useDismissal(box: RefObject<HTMLElement | null>, open: Path, setOpen: SetPath): void {
  useEffect(() => {
    if (open.length === 0) return
    const isOutside = (target: EventTarget | null) =>
      !(target instanceof Node && box.current?.contains(target))
    const onLeave = ({ target }: Event) => isOutside(target) && setOpen([])
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      const shown = Array.from(box.current?.querySelectorAll<HTMLElement>('li[data-open]') ?? [])
      const innermost = shown.at(-1)
      if (innermost?.contains(document.activeElement))
        innermost.querySelector<HTMLElement>('a, button')?.focus()
      setOpen(open.slice(0, shown.length - 1))
    }
    document.addEventListener('pointerdown', onLeave)
    document.addEventListener('focusin', onLeave)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', onLeave)
      document.removeEventListener('focusin', onLeave)
      document.removeEventListener('keydown', onKey)
    }
  }, [box, open, setOpen])
}

/** Keeps what flies out at its item while it is open. */
export function usePlace(item: RefObject<HTMLElement | null>, side: 'beside' | 'below' | undefined): void {
  useLayoutEffect(() => {
    const float = item.current?.querySelector<HTMLElement>(':scope > [data-panel], :scope > a > [data-label]')
    if (!item.current || !float || !side) return
    const anchor = item.current
    const follow = () => place(float, anchor, side)
    follow()
    addEventListener('scroll', follow, { capture: true, passive: true })
    addEventListener('resize', follow)
    return () => {
      removeEventListener('scroll', follow, { capture: true })
      removeEventListener('resize', follow)
      float.style.inset = ''
    }
  }, [item, side])
}

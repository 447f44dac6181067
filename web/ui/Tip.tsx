import './tip.css'
import { useRef, type KeyboardEvent, type ReactNode } from 'react'

type Props = {
  className: string
  /** What the picture says, in words. */
  text: string
  /** Its name where it is read aloud, where that takes more than the text. */
  label?: string
  children: ReactNode
  /** Further attributes that its style asks for. */
  'data-empty'?: true | undefined
  'data-mixed'?: true | undefined
  'data-tone'?: string
}

/**
 * A small picture with its words: read aloud as its name, shown beside it under the pointer and under the focus, put away with Escape,
 * and the pointer may move onto them (WCAG 2.2, 1.4.13).
 */
export function Tip({ text, label = text, children, ...rest }: Props) {
  const tip = useRef<HTMLSpanElement>(null)
  const show = ({ currentTarget }: { currentTarget: Element }) => {
    // Words that nobody sees would still be found as text of the page.
    if (tip.current) tip.current.textContent = text
    place(tip.current, currentTarget)
  }
  const hide = () => tip.current?.hidePopover()
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !tip.current?.matches(':popover-open')) return
    hide()
    event.stopPropagation()
  }
  // Nothing is done by it, but who has no pointer has to come by its words.
  const stop = {
    tabIndex: 0,
    onPointerEnter: show,
    onPointerLeave: hide,
    onFocus: show,
    onBlur: hide,
    onKeyDown: press,
  }
  return (
    <span {...rest} {...stop} role="img" aria-label={label}>
      {children}
      <span ref={tip} popover="manual" className="ui-tip" aria-hidden />
    </span>
  )
}

/** Above its picture, or below where there is no room, inside the window. */
export function place(tip: HTMLElement | null, picture: Element): void {
  if (!tip || tip.matches(':popover-open')) return
  tip.showPopover()
  const { left, top, bottom } = picture.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = tip
  const inside = Math.max(8, Math.min(left, document.documentElement.clientWidth - offsetWidth - 8))
  // Places on the screen are the same in every direction of writing.
  tip.style.setProperty('left', `${inside}px`)
  tip.style.setProperty('top', `${top >= offsetHeight + 8 ? top - offsetHeight : bottom}px`)
}

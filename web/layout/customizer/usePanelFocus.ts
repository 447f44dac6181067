import { useEffect, type RefObject } from 'react'
import { customizer, panelId } from './customizer.ts'

const opener = `[aria-controls="${panelId}"]`

/** Nothing that answers to keys: the page's own frame, or nothing at all. */
function isIdle(element: Element | null): boolean {
  return element === null || element.matches('body, [tabindex="-1"]')
}

/** Takes the focus in, closes at Escape and when click or focus go elsewhere, and gives the focus back. */
export function usePanelFocus(panel: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useEffect(() => {
    const element = panel.current
    if (!isOpen || !element) return
    const from = document.activeElement
    element.querySelector('button')?.focus()
    // By its path, because a button that was pressed may be gone by now.
    const isElsewhere = (event: Event) =>
      !event
        .composedPath()
        .some((part) => part === element || (part instanceof Element && part.matches(opener)))
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) customizer.close()
    }
    const closeIfElsewhere = (event: Event) => {
      if (isElsewhere(event)) customizer.close()
    }
    const events = { keydown: onEscape, click: closeIfElsewhere, focusin: closeIfElsewhere }
    document.addEventListener('keydown', events.keydown)
    document.addEventListener('click', events.click)
    document.addEventListener('focusin', events.focusin)
    return () => {
      document.removeEventListener('keydown', events.keydown)
      document.removeEventListener('click', events.click)
      document.removeEventListener('focusin', events.focusin)
      giveBack(element, from)
    }
  }, [panel, isOpen])
}

/** To where the focus came from, unless the person has taken it somewhere else already. */
function giveBack(panel: HTMLElement, from: Element | null): void {
  const now = document.activeElement
  if (!isIdle(now) && !panel.contains(now)) return
  const button =
    from instanceof HTMLElement && !isIdle(from) ? from : document.querySelector<HTMLElement>(opener)
  button?.focus({ preventScroll: true })
}

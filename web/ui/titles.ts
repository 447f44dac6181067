import './tip.css'
import { place } from './Tip.tsx'

/**
 * What a `title` says is shown by browsers to a mouse alone. Here it is shown to a keyboard, beside what has the focus, and to a
 * finger that presses long, or that touches what does nothing else. Escape puts it away, the pointer may move onto it (WCAG 2.2,
 * 1.4.13). Words that are told by a `title` only, or cut off, become a stop of the Tab key.
 */
export function watchTitles(): void {
  if (document.getElementById('title-tip')) return
  const tip = document.createElement('span')
  Object.assign(tip, { id: 'title-tip', className: 'ui-tip', popover: 'manual', ariaHidden: 'true' })
  document.body.append(tip)
  let shown: Element | null = null

  const hide = () => {
    if (!shown) return
    // What describes it otherwise stays.
    if (shown.getAttribute('aria-describedby') === tip.id) shown.removeAttribute('aria-describedby')
    shown = null
    tip.hidePopover()
  }
  const show = (element: Element) => {
    hide()
    tip.textContent = element.getAttribute('title')
    place(tip, element)
    shown = element
    if (!element.hasAttribute('aria-describedby')) element.setAttribute('aria-describedby', tip.id)
  }
  const meet = (target: EventTarget | null) => {
    hide()
    const titled = target instanceof Element && target.matches(':focus-visible') ? titledAt(target) : null
    if (titled && saysMore(titled)) show(titled)
  }

  document.addEventListener('focusin', ({ target }) => meet(target))
  document.addEventListener('focusout', hide)
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !shown) return
      hide()
      // What lies below the tip stays open.
      event.stopPropagation()
      event.preventDefault()
    },
    true,
  )
  addEventListener('scroll', hide, { passive: true, capture: true })
  watchFingers(show, hide)
  // Before the stops are put in order (web/ui/stops.ts), for the page as it is at this press of a key.
  addEventListener('keydown', ({ key }) => (key === 'Tab' || key.startsWith('Arrow')) && mark(), true)
  mark()
  meet(document.activeElement)
}

/** Of what has the focus, or of the cell of a grid that has it for what it holds. */
function titledAt(element: Element): Element | null {
  return (
    element.closest('[title]') ?? (element.matches('[data-at]') ? element.querySelector('[title]') : null)
  )
}

/** Whether it says anything that cannot be read anyway. */
function saysMore(element: Element): boolean {
  const title = element.getAttribute('title')?.trim() ?? ''
  return title !== '' && (title !== element.textContent.trim() || isCut(element))
}

function isCut(element: Element): boolean {
  for (let at: Element | null = element; at && at.matches('a, b, span, td, th, div'); at = at.parentElement) {
    if (at.scrollWidth > at.clientWidth + 1 && getComputedStyle(at).overflowX === 'hidden') return true
    if (at.matches('td, th')) return false
  }
  return false
}

const pressable = 'a, button, input, select, textarea, summary, label, [role="slider"], [role="button"]'
const longPress = 500

/** A long press shows what a title says and does nothing else; a short one does so only where it would do nothing. */
function watchFingers(show: (element: Element) => void, hide: () => void): void {
  let timer = 0
  let wasLong = false
  const titledBy = ({ target }: Event) => (target instanceof Element ? target.closest('[title]') : null)
  document.addEventListener('pointerdown', (event) => {
    hide()
    wasLong = false
    clearTimeout(timer)
    const titled = event.pointerType === 'touch' ? titledBy(event) : null
    if (!titled || !saysMore(titled)) return
    timer = window.setTimeout(() => {
      wasLong = true
      show(titled)
    }, longPress)
  })
  for (const end of ['pointermove', 'pointercancel'] as const)
    document.addEventListener(end, ({ movementX, movementY, type }) => {
      if (type === 'pointercancel' || Math.hypot(movementX, movementY) > 4) clearTimeout(timer)
    })
  document.addEventListener(
    'click',
    (event) => {
      clearTimeout(timer)
      if (wasLong) {
        event.preventDefault()
        event.stopPropagation()
        wasLong = false
        return
      }
      const titled =
        event instanceof PointerEvent && event.pointerType === 'touch' ? titledBy(event) : undefined
      if (titled && !titled.closest(pressable) && saysMore(titled)) show(titled)
    },
    true,
  )
}

// The page itself takes the focus of a navigation.
const focusable = `${pressable}, [tabindex]:not([data-titled], main)`

/** Marks what has to be reached by Tab for the sake of its title alone. */
function mark(): void {
  for (const element of document.querySelectorAll('main [title]')) {
    const isStop =
      !element.closest(focusable) && element.querySelector(pressable) === null && saysMore(element)
    if (isStop === element.hasAttribute('data-titled')) continue
    element.toggleAttribute('data-titled', isStop)
    if (isStop) element.setAttribute('tabindex', '0')
    else element.removeAttribute('tabindex')
  }
}

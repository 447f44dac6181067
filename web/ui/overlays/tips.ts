import type { FocusEvent, MouseEvent, PointerEvent } from 'react'
import { place } from '../browser/place.ts'
import shapes from '../look/shapes.module.css'
import classes from './tip.module.css'

/*
 * Words beside what they are about. The pointer shows them by resting on it and may move onto them, the keyboard by its focus, a finger
 * by a long press, or by a short one where that does nothing else. Escape puts them away (WCAG 2.2, 1.4.13).
 */

/** For a button, a link or a field that takes more words than it has room for. */
export const tip = (words: string | null | undefined) =>
  words ? { ...shows(words), 'aria-description': words } : {}

/** For text that can say more: who has no pointer comes by its words with Tab. */
export const tipStop = (words: string | null | undefined) => (words ? { ...tip(words), tabIndex: 0 } : {})

/** For a button that does nothing at present: why. It can be reached all the same. */
export const cannot = (why: string) => ({ ...tip(why), 'aria-disabled': true, 'data-disabled': true })

/** For what shows an icon alone: its name. */
export const named = (label: string) => ({ ...shows(label), 'aria-label': label })

/** The same words as those that are read aloud anyway. */
export const shows = (words: string) => ({ 'data-tip': words, ...handlers })
export const showsStop = (words: string) => ({ ...shows(words), tabIndex: 0 })

const restMs = 300
const longPressMs = 500

let tipBox: HTMLElement | undefined
let described: Element | null = null
let watching = new AbortController()
let timer = 0
let wasLong = false

const handlers = {
  onPointerEnter: ({ pointerType, currentTarget }: PointerEvent) => {
    if (pointerType !== 'touch') wait(restMs, () => show(currentTarget))
  },
  onPointerLeave: ({ pointerType, nativeEvent }: PointerEvent) => {
    // React names no box that it has not made: the event of the browser does.
    if (pointerType !== 'touch' && nativeEvent.relatedTarget !== tipBox) hide()
  },
  onFocusCapture: ({ currentTarget, target }: FocusEvent) => {
    // The browser gives the focus back in the middle of closing a panel, when nothing else may open.
    if (target === currentTarget && target.matches(':focus-visible'))
      wait(0, () => {
        if (currentTarget.matches(':focus-visible')) show(currentTarget)
      })
  },
  onBlurCapture: ({ currentTarget }: FocusEvent) => {
    if (described === currentTarget) hide()
  },
  onPointerDownCapture: ({ pointerType, currentTarget }: PointerEvent) => {
    hide()
    wasLong = false
    if (pointerType !== 'touch') return
    wait(longPressMs, () => {
      show(currentTarget)
      wasLong = described === currentTarget
    })
  },
  onPointerUpCapture: () => clearTimeout(timer),
  onPointerCancelCapture: () => clearTimeout(timer),
  onClickCapture: (event: MouseEvent) => {
    const { currentTarget, nativeEvent } = event
    if (wasLong) {
      event.preventDefault()
      event.stopPropagation()
    } else if (isTouch(nativeEvent) && !pressed(event.target)) show(currentTarget)
    wasLong = false
  },
}

/** For words that may be cut off: all of them. In a row of a list the arrow keys lead to them. */
export const whole = shows('')
export const wholeStop = { ...whole, tabIndex: -1 }

const isTouch = (event: Event) =>
  event.type === 'click' && 'pointerType' in event && event.pointerType === 'touch'

const pressed = (target: EventTarget) =>
  target instanceof Element &&
  target.closest('a, button, input, select, textarea, summary, label, [role="slider"], [role="button"]')

function wait(milliseconds: number, then: () => void): void {
  clearTimeout(timer)
  timer = window.setTimeout(then, milliseconds)
}

/** What it has to say that cannot be read anyway. */
export function wordsOf(element: Element): string {
  return element.getAttribute('data-tip') || (isCut(element) ? element.textContent.trim() : '')
}

/** Itself, what it holds, or the cell that it stands in. */
function isCut(element: Element): boolean {
  const around = [element.parentElement, element.closest('td, th')]
  return [element, ...element.querySelectorAll(`span:not(.${shapes.sr})`), ...around].some(
    (one) =>
      one !== null && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'hidden',
  )
}

function show(element: Element): void {
  hide()
  const words = wordsOf(element)
  if (!words || !element.isConnected) return
  tipBox ??= newBox()
  tipBox.textContent = words
  // Outside of an open dialog nothing could be pointed at.
  const room = element.closest('dialog') ?? document.body
  room.append(tipBox)
  described = element
  tipBox.showPopover()
  place(tipBox, element, 'above')
  watching = new AbortController()
  const { signal } = watching
  addEventListener('keydown', onKey, { capture: true, signal })
  addEventListener('scroll', onScroll, { capture: true, passive: true, signal })
  addEventListener('pointerdown', hide, { capture: true, signal })
}

function hide(): void {
  clearTimeout(timer)
  if (!described || !tipBox) return
  described = null
  watching.abort()
  // Words that nobody sees would still be found as text of the page.
  tipBox.textContent = ''
  tipBox.remove()
}

function onKey(event: KeyboardEvent): void {
  hide()
  if (event.key !== 'Escape') return
  // What lies below stays open.
  event.stopPropagation()
  event.preventDefault()
}

/** The focus often comes by a page that moves towards it: its words go along. */
function onScroll(): void {
  if (tipBox && described?.matches(':focus-visible')) place(tipBox, described, 'above')
  else hide()
}

function newBox(): HTMLElement {
  const box = document.createElement('span')
  Object.assign(box, { className: classes.tip, popover: 'manual', ariaHidden: 'true' })
  box.addEventListener('pointerleave', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && described?.contains(relatedTarget))) hide()
  })
  return box
}

import { useEffect, type RefObject } from 'react'
import type { Shape } from './menuState.ts'

type Move = 'next' | 'previous' | 'first' | 'last' | 'in' | 'out'

const column: Record<string, Move> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  ArrowRight: 'in',
  ArrowLeft: 'out',
  Home: 'first',
  End: 'last',
}
/** Along the bar the arrows turn by a quarter. */
const bar: Record<string, Move> = {
  ...column,
  ArrowRight: 'next',
  ArrowLeft: 'previous',
  ArrowDown: 'in',
  ArrowUp: 'out',
}
const mirrored: Record<string, string> = { ArrowRight: 'ArrowLeft', ArrowLeft: 'ArrowRight' }

/** Where the arrows and Tab stop: what can be seen, without what is disabled or lies in a closed group. */
export function stops(list: Element): HTMLElement[] {
  return Array.from(list.querySelectorAll<HTMLElement>('a[href], button')).filter((stop) =>
    stop.checkVisibility({ visibilityProperty: true }),
  )
}

const panelOf = (stop: Element) => stop.closest('[data-panel]')
const isGroup = (stop: Element) => stop.hasAttribute('aria-expanded')
const isOpen = (stop: Element) => stop.getAttribute('aria-expanded') === 'true'

/** Arrows, Home and End in a menu: along its items, into an open group, and out of it; Right opens, Left closes. */
export function useMenuKeys(box: RefObject<HTMLElement | null>, shape: Shape): void {
  useEffect(() => {
    const list = box.current
    if (!list) return
    const onKey = (event: KeyboardEvent) => onMenuKey(event, list, shape)
    list.addEventListener('keydown', onKey)
    return () => list.removeEventListener('keydown', onKey)
  }, [box, shape])
}

function onMenuKey(event: KeyboardEvent, list: HTMLElement, shape: Shape): void {
  const { target } = event
  if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return
  const isRtl = getComputedStyle(list).direction === 'rtl'
  const key = isRtl ? (mirrored[event.key] ?? event.key) : event.key
  const move = (shape === 'bar' && !panelOf(target) ? bar : column)[key]
  if (!move || !stops(list).includes(target)) return
  if (move === 'in') enter(list, target)
  else if (move === 'out') leave(list, target)
  // At the end of the menu the keys lead on to what else stands beside it.
  else if (!stepTo(rowOf(list, target, shape), target, move) && !panelOf(target)) return
  event.preventDefault()
}

/** In a column all that is open is one list; what flies out is a list of its own. */
function rowOf(list: HTMLElement, from: HTMLElement, shape: Shape): HTMLElement[] {
  return stops(list).filter((stop) => shape === 'column' || panelOf(stop) === panelOf(from))
}

type Step = Exclude<Move, 'in' | 'out'>

/** Whether there was anywhere to go. */
function stepTo(row: HTMLElement[], from: HTMLElement, move: Step): boolean {
  const here = row.indexOf(from)
  const next = row[{ next: here + 1, previous: here - 1, first: 0, last: row.length - 1 }[move]]
  next?.focus()
  return next !== undefined && next !== from
}

function enter(list: HTMLElement, group: HTMLElement): void {
  if (!isGroup(group)) return
  if (!isOpen(group)) return group.click()
  const row = stops(list)
  row[row.indexOf(group) + 1]?.focus()
}

function leave(list: HTMLElement, from: HTMLElement): void {
  const isOwn = isGroup(from) && isOpen(from)
  const parent = panelOf(from)?.parentElement?.querySelector<HTMLElement>(':scope > button')
  const group = isOwn ? from : parent
  if (!group || !list.contains(group)) return
  group.focus()
  if (isOpen(group)) group.click()
}

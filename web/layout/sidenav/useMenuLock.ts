import { useEffect } from 'react'
import { layout } from '../store.ts'
import { stops } from './menuKeys.ts'

/**
 * While the menu lies over the page: the focus stays in it, nothing scrolls behind it, Escape closes it; afterwards
 * the focus is back on the toggle.
 */
export function useMenuLock(isOpen: boolean): void {
  useEffect(() => {
    const menu = document.querySelector<HTMLElement>('#sidenav')
    if (!isOpen || !menu) return
    const release = lockScroll()
    const onKey = (event: KeyboardEvent) => {
      // What has opened inside the menu closes first.
      if (event.key === 'Escape' && !menu.querySelector(':popover-open')) layout.setMenuOpen(false)
      if (event.key === 'Tab') keepFocus(menu, event)
    }
    addEventListener('keydown', onKey)
    const frame = requestAnimationFrame(() => menu.querySelector<HTMLElement>('[data-close]')?.focus())
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('keydown', onKey)
      release()
      document.querySelector<HTMLElement>('#nav-toggle')?.focus()
    }
  }, [isOpen])
}

function keepFocus(menu: HTMLElement, event: KeyboardEvent): void {
  const list = stops(menu)
  const [first, last] = [list[0], list.at(-1)]
  const present = document.activeElement
  const isOutside = !menu.contains(present)
  if (!isOutside && present !== (event.shiftKey ? first : last)) return
  event.preventDefault()
  ;(event.shiftKey ? last : first)?.focus()
}

/** The 15 px are those of the specification, section 4. */
function lockScroll(): () => void {
  const { overflow, paddingRight } = document.body.style
  document.body.style.overflow = 'hidden'
  if (innerWidth > 767) document.body.style.paddingRight = '15px'
  return () => {
    Object.assign(document.body.style, { overflow, paddingRight })
  }
}

import { useEffect } from 'react'

/** Puts the focus where the page wants it, else on its headline. */
export function focusFirst(): void {
  const find = (what: string) => document.querySelector<HTMLElement>(what)
  ;(find('[data-autofocus]') ?? find('h1'))?.focus()
}

/** What comes late takes the focus as a page that is there at once does. */
export function useFirstFocus(): void {
  useEffect(focusFirst, [])
}

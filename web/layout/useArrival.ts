import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** At the end of an address that leads to what its page creates. */
export const toCreate = 'create'

/** Whether there was a button to lead to; it stays marked until it is pressed or left. */
function markCreate(): boolean {
  const button = document.querySelector<HTMLElement>('main [data-create]')
  if (!button) return false
  button.focus()
  button.dataset['marked'] = ''
  const unmark = () => delete button.dataset['marked']
  for (const type of ['click', 'blur']) button.addEventListener(type, unmark, { once: true })
  return true
}

/**
 * After a navigation to another page: the focus goes to its heading, or to the button that the address leads to, and its title is what
 * is returned to announce.
 */
export function useArrival(): string {
  const router = useRouter()
  const [announcement, setAnnouncement] = useState('')
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
        if (!fromLocation) return
        const isMarked = toLocation.hash === toCreate && fromLocation.href !== toLocation.href && markCreate()
        if (fromLocation.pathname === toLocation.pathname) return
        if (!isMarked) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
        setAnnouncement(document.title)
      }),
    [router],
  )
  return announcement
}

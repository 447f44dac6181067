import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** After a navigation to another page: the focus goes to its heading, and its title is what is returned to announce. */
export function useArrival(): string {
  const router = useRouter()
  const [announcement, setAnnouncement] = useState('')
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
        if (!fromLocation || fromLocation.pathname === toLocation.pathname) return
        const heading = document.querySelector<HTMLElement>('main h1')
        heading?.focus({ preventScroll: true })
        setAnnouncement(document.title)
      }),
    [router],
  )
  return announcement
}

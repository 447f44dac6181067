import { useLocation } from '@tanstack/react-router'
import { useMemo } from 'react'
import { menuFor, trailTo } from '../menu.ts'
import { useUser } from '../useSession.ts'

/** The items that the person may open, and the way to the one that is open. */
export function useMenuItems() {
  const { role } = useUser()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const items = useMemo(() => menuFor(role), [role])
  return { items, path, trail: useMemo(() => trailTo(items, path), [items, path]) }
}

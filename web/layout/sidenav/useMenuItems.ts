import { useLocation } from '@tanstack/react-router'
import { useMemo } from 'react'
import { menuFor, trailTo } from '../menu.ts'
import { asBar } from '../topnav/asBar.ts'
import { useUser } from '../../session/useSession.ts'
import type { Shape } from './menuState.ts'

/** The items that the person may open, and the way to the one that is open. */
export function useMenuItems(shape: Shape) {
  const { role } = useUser()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const isBar = shape === 'bar'
  const items = useMemo(() => (isBar ? asBar(menuFor(role)) : menuFor(role)), [role, isBar])
  return { items, trail: useMemo(() => trailTo(items, path), [items, path]) }
}

import { Outlet, useChildMatches } from '@tanstack/react-router'
import { demoPages } from './demoPages.ts'
import type { Override } from './effective.ts'
import { useLayoutOverride } from './store.ts'

const nothing: Override = {}

/** Around the pages of the layouts: what they show in place of the saved choices is there before their data are. */
export function DemoLayout() {
  const path: string | undefined = useChildMatches()[0]?.fullPath
  useLayoutOverride(demoPages.find((page) => page.path === path)?.override ?? nothing)
  return <Outlet />
}

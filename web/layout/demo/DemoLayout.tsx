import { Outlet, useChildMatches } from '@tanstack/react-router'
import { demoLayouts, layoutPageAt } from './demoLayouts.ts'
import type { Override } from '../effective.ts'
import { useLayoutOverride } from '../store.ts'

const nothing: Override = {}

/** Around the pages of the layouts: what they show in place of the saved choices is there before their data are. */
export function DemoLayout() {
  const page = layoutPageAt(useChildMatches()[0]?.fullPath ?? '')
  useLayoutOverride(page ? demoLayouts[page] : nothing)
  return <Outlet />
}

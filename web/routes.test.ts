// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { layoutPages, pages } from '#contract/roles.ts'
import { paths } from './paths.ts'
import { router } from './routes.tsx'
import { demoLayouts } from './layout/demo/demoLayouts.ts'

/** `$orgId` and `$userId` alike: which parameter stands there is the router's matter. */
const shape = (path: string) => path.replaceAll(/\$\w+/g, '$')
const all = Object.keys(router.routesByPath)
/** Neither protected nor built: pages for those who work on the console. */
const workshop = ['/dev/ui']
const drawn = all.filter((path) => path !== '/' && !workshop.includes(path))
const isPublic = (path: string) => /^\/(auth-1|error)\/|^\/(maintenance|landing|verify)?$/.test(path)
const { layout, ...others } = paths
const named = Object.values(others)
  // Every address function takes its parameters as text, in order.
  .map((address) => (address as (...parameters: string[]) => string)('$', '$', '$'))
  .map((path) => path.replace(/\?.*/, ''))
  .filter((path) => !isPublic(path))
  // Without an organization these lead to the connections of the installation.
  .concat(paths.connectionCreate(null), paths.connection(null, '$'))
  .concat(layoutPages.map(layout))

test('every address of the console has a page, and every page an address', () => {
  expect(drawn.map(shape).toSorted()).toEqual(named.map(shape).toSorted())
})

test('every protected page names its roles, and only pages that exist are named', () => {
  expect(pages.map(({ path }) => path).toSorted()).toEqual(drawn.toSorted())
})

type Route = { id: string; parentRoute?: Route; options: { beforeLoad?: unknown } }
const routes = router.routesByPath as unknown as Record<string, Route>

/** The ways up from a page to the root, by their names. */
const above = ({ parentRoute }: Route): string[] =>
  parentRoute ? [parentRoute.id, ...above(parentRoute)] : []

test.each(pages)('$path stands inside the main layout, and draws nothing for nobody', async ({ path }) => {
  const route = routes[path]
  expect(route && above(route)).toContain('/inside')
  const left = vi.spyOn(location, 'replace').mockReturnValue()
  const ask = route?.options.beforeLoad as (input: object) => Promise<unknown>
  const asked = ask({ location: { href: path, pathname: path, searchStr: '' } }).then(() => 'drawn')
  const waits = new Promise((resolve) => setTimeout(resolve, 0, 'left'))
  expect(await Promise.race([asked, waits])).toBe('left')
  left.mockRestore()
})

test('whoever may not open a page is led to one that exists', () => {
  const fallbacks = pages.flatMap(({ fallback }) => fallback ?? [])
  expect(fallbacks.filter((path) => !drawn.includes(path))).toEqual([])
})

test('the pages of the workshop are there in development, and not in production', async () => {
  expect(all).toEqual(expect.arrayContaining(workshop))
  vi.stubEnv('DEV', false)
  vi.resetModules()
  const built = await import('./routes.tsx')
  vi.unstubAllEnvs()
  const served = Object.keys(built.router.routesByPath)
  expect(served.toSorted()).toEqual(all.filter((page) => !workshop.includes(page)).toSorted())
})

test('the twenty pages of the layouts are those that the table describes', () => {
  expect(Object.keys(demoLayouts)).toEqual(layoutPages)
  expect(layoutPages).toHaveLength(20)
})

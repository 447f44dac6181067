import { expect, test } from 'vitest'
import { reports } from '#contract/reports/report-files.ts'
import { reportHeads } from '#contract/reports/report-heads.ts'
import { reportNames } from '#contract/reports/report-schedules.ts'
import { pages } from '#contract/roles.ts'
import { viewedReports } from '#contract/directory/views.ts'
import { menuFor, type MenuItem } from '../layout/menu.ts'
import { paths } from '../paths.ts'

const flat = (items: readonly MenuItem[]): MenuItem[] =>
  items.flatMap((item) => [item, ...flat(item.children ?? [])])

test.each(reportNames)('%s has a page, an item of the menu, a file and views that are kept', (name) => {
  const path = `/reports/${name}`
  const item = flat(menuFor('superadmin')).find(({ url }) => url === path)
  expect(item?.label).toBe(reportHeads[name].title)
  expect(
    Object.values(paths).map((address) => (address as (...of: string[]) => string)('$', '$', '$')),
  ).toContain(path)
  // Whoever opens its page may take its file along, and have it mailed.
  expect(pages.find((page) => page.path === path)?.roles).toEqual(reports[name].file.access.roles)
  expect(viewedReports).toContain(name)
})

test('no report is kept, offered or drawn that is none', () => {
  expect(viewedReports.filter((name) => !reportNames.includes(name))).toEqual([])
  const others = ['/reports/training-matrix', '/reports/schedules']
  const drawn = pages.map(({ path }) => path).filter((path) => path.startsWith('/reports/'))
  expect(drawn.toSorted()).toEqual([...reportNames.map((name) => `/reports/${name}`), ...others].toSorted())
})

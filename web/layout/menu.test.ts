import { describe, expect, test } from 'vitest'
import { layoutPages, roles } from '#contract/roles.ts'
import { paths } from '#web/paths.ts'
import { demoMenu } from './demo/demoMenu.ts'
import { allowed, menuFor, trailTo, type MenuItem } from './menu.ts'
import { aboutPages } from './pages/about.ts'

type Outline = string | [string, Outline[]]

const outline = (items: readonly MenuItem[]): Outline[] =>
  items.map(({ label, children }) => (children ? [label, outline(children)] : label))

const flat = (items: readonly MenuItem[]): MenuItem[] =>
  items.flatMap((item) => [item, ...flat(item.children ?? [])])

describe('the menu of the product', () => {
  const reports = [
    'Account User Activity',
    'User Engagement',
    'Account Activity',
    'Message Analytics',
    'Quiz Metrics',
  ]
  test('has the items of the specification in their order, assignments below transmissions, and the training matrix behind its reports', () => {
    expect(outline(menuFor('superadmin'))).toEqual([
      'Dashboard',
      'Organizations',
      'Content',
      'Transmissions',
      'Assignments',
      'Settings',
      ['Metrics & Analytics', [['Reports', reports], 'Training Matrix']],
    ])
  })
  test('leaves out what the role may not open', () => {
    expect(outline(menuFor('groupadmin'))).toEqual([
      'Dashboard',
      'Organizations',
      'Settings',
      [
        'Metrics & Analytics',
        [['Reports', reports.filter((label) => label !== 'Account Activity')], 'Training Matrix'],
      ],
    ])
  })
  test('leaves out groups and sections without anything left', () => {
    const content: MenuItem = { key: 'c', label: 'Content', url: '/content' }
    const group: MenuItem = { key: 'g', label: 'Group', children: [content] }
    const section: MenuItem = { key: 's', label: 'Section', isTitle: true, children: [group] }
    expect(allowed([section], 'groupadmin')).toEqual([])
    expect(allowed([section], 'admin')).toEqual([section])
  })
})

describe('the menu of the template', () => {
  test('adds its sections below, with an item of every kind', () => {
    const menu = menuFor('groupadmin', demoMenu)
    expect(menu.filter(({ isTitle }) => isTitle).map(({ label }) => label)).toEqual([
      'Metrics & Analytics',
      'Layouts',
      'Custom',
      'Items',
    ])
    const items = flat(menu)
    expect(items.filter(({ isDisabled }) => isDisabled).map(({ label }) => label)).toEqual(['Disabled Menu'])
    expect(items.filter(({ isSpecial }) => isSpecial).map(({ label }) => label)).toEqual(['Special Menu'])
    expect(items.filter(({ badge }) => badge).map(({ label }) => label)).toEqual(['Landing'])
  })
  test.each(roles)('has keys of its own for every item of %s', (role) => {
    const keys = flat(menuFor(role, demoMenu)).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
  test('has every page of the layouts in their order, each of which tells of itself', () => {
    const offered = flat(menuFor('groupadmin', demoMenu)).filter(({ url }) => url?.startsWith('/layouts/'))
    expect(offered.map(({ url }) => url)).toEqual(layoutPages.map(paths.layout))
    expect(Object.keys(aboutPages)).toEqual(layoutPages)
  })
})

describe('the way to the active link', () => {
  const items: readonly MenuItem[] = [
    { key: 'organizations', label: 'Organizations', url: '/organizations' },
    {
      key: 'section',
      label: 'Section',
      isTitle: true,
      children: [
        {
          key: 'group',
          label: 'Group',
          children: [
            { key: 'near', label: 'Near', url: '/reports' },
            { key: 'inner', label: 'Inner', children: [{ key: 'far', label: 'Far', url: '/reports/far' }] },
          ],
        },
      ],
    },
  ]
  test.each([
    ['/organizations', ['organizations']],
    ['/organizations/7/edit', ['organizations']],
    ['/organizations/7/groups/create', ['organizations']],
    ['/organizations-of-others', []],
    ['/reports', ['group', 'near']],
    ['/reports/near', ['group', 'near']],
    ['/reports/far', ['group', 'inner', 'far']],
    ['/reports/far/1', ['group', 'inner', 'far']],
    ['/reports/farther', ['group', 'near']],
    ['/', []],
  ])('%s', (path, keys) => {
    expect(trailTo(items, path)).toEqual(keys)
  })
})

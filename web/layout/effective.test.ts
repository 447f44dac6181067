import { describe, expect, test } from 'vitest'
import {
  chosen,
  effectiveSize,
  effectiveTheme,
  isTopnav,
  toggleOutcome,
  type Device,
  type Override,
  type State,
} from './effective.ts'
import {
  choicesOf,
  defaults,
  fromStorage,
  options,
  withChoices,
  type LayoutSettings,
  type Size,
} from './settings.ts'

const phone: Device = { phone: true, tablet: true, narrow: true, dark: false }
const tablet: Device = { phone: false, tablet: true, narrow: false, dark: false }
const desktop: Device = { phone: false, tablet: false, narrow: false, dark: false }

type More = Partial<LayoutSettings> & { transient?: Size; override?: Override }

function state(device: Device, size: Size, more: More = {}): State {
  const { transient = null, override = {}, ...settings } = more
  const saved = { ...defaults, ...settings, sidenav: { ...defaults.sidenav, size } }
  return { device, transient, override, saved }
}

describe('size by width, vertical', () => {
  const sizes: Size[] = ['default', 'compact', 'condensed', 'on-hover', 'on-hover-active', 'offcanvas']
  test.each(sizes)('phone forces %s to offcanvas', (size) => {
    expect(effectiveSize(state(phone, size))).toBe('offcanvas')
  })
  test.each(sizes)('tablet forces %s to condensed unless offcanvas', (size) => {
    expect(effectiveSize(state(tablet, size))).toBe(size === 'offcanvas' ? 'offcanvas' : 'condensed')
  })
  test.each(sizes)('desktop shows %s as saved', (size) => {
    expect(effectiveSize(state(desktop, size))).toBe(size)
  })
})

test('horizontal is offcanvas below 992 and default from there', () => {
  const horizontal = { orientation: 'horizontal' } as const
  expect(effectiveSize(state(phone, 'compact', horizontal))).toBe('offcanvas')
  expect(effectiveSize(state({ ...tablet, narrow: true }, 'compact', horizontal))).toBe('offcanvas')
  expect(effectiveSize(state(tablet, 'condensed', horizontal))).toBe('default')
})

test.each([
  [state(phone, 'default'), { kind: 'menu' }],
  [state(desktop, 'offcanvas'), { kind: 'menu' }],
  [state(desktop, 'default'), { kind: 'save', size: 'condensed' }],
  [state(desktop, 'condensed'), { kind: 'save', size: 'default' }],
  [state(desktop, 'on-hover'), { kind: 'save', size: 'on-hover-active' }],
  [state(desktop, 'on-hover-active'), { kind: 'save', size: 'on-hover' }],
  [state(desktop, 'compact'), { kind: 'transient', size: 'condensed' }],
  [state(desktop, 'compact', { transient: 'condensed' }), { kind: 'transient', size: 'compact' }],
  [state(tablet, 'default'), { kind: 'transient', size: 'default' }],
  [state(tablet, 'default', { transient: 'default' }), { kind: 'transient', size: 'condensed' }],
])('the toggle, case %#', (given, outcome) => {
  expect(toggleOutcome(given)).toEqual(outcome)
})

describe('a page that shows choices of its own', () => {
  const override: Override = { size: 'compact', menuColor: 'gray', classes: ['sidebar-with-line'] }
  test('lays them over what is saved, below the rules of the width', () => {
    expect(chosen(state(desktop, 'condensed', { override }))).toEqual({
      ...choicesOf(defaults),
      size: 'compact',
      menuColor: 'gray',
    })
    expect(effectiveSize(state(desktop, 'condensed', { override }))).toBe('compact')
    expect(effectiveSize(state(tablet, 'condensed', { override }))).toBe('condensed')
    expect(effectiveSize(state(phone, 'condensed', { override }))).toBe('offcanvas')
  })
  test('decides what the toggle goes on from', () => {
    const outcome = toggleOutcome(state(desktop, 'default', { override: { size: 'on-hover' } }))
    expect(outcome).toEqual({ kind: 'save', size: 'on-hover-active' })
  })
})

test('navigation lies along the top only where the window is wide enough', () => {
  const horizontal = { orientation: 'horizontal' } as const
  expect(isTopnav(state(desktop, 'default', horizontal))).toBe(true)
  expect(isTopnav(state({ ...tablet, narrow: true }, 'default', horizontal))).toBe(false)
  expect(isTopnav(state(desktop, 'default'))).toBe(false)
})

test('every choice finds its place in what is kept, and nothing else moves', () => {
  for (const [name, list] of Object.entries(options))
    for (const value of list) {
      const restored = withChoices(defaults, { [name]: value })
      expect(choicesOf(restored)).toEqual({ ...choicesOf(defaults), [name]: value })
      expect(fromStorage(JSON.stringify(restored))).toEqual(restored)
    }
})

test('system follows the device, a chosen theme does not', () => {
  const dark = { ...desktop, dark: true }
  expect(effectiveTheme(state(dark, 'default', { theme: 'system' }))).toBe('dark')
  expect(effectiveTheme(state(desktop, 'default', { theme: 'system' }))).toBe('light')
  expect(effectiveTheme(state(dark, 'default', { theme: 'light' }))).toBe('light')
})

test.each([
  ['no json'],
  ['null'],
  ['[]'],
  ['{"skin":"galaxy","sidenav":{"size":"huge","isMobileMenuOpen":true}}'],
])('storage holding %s gives the defaults', (text) => expect(fromStorage(text)).toEqual(defaults))

test('what is known is kept beside what is not', () => {
  expect(fromStorage('{"theme":"dark","width":7,"sidenav":{"size":"condensed"}}')).toEqual({
    ...defaults,
    theme: 'dark',
    sidenav: { ...defaults.sidenav, size: 'condensed' },
  })
})

import { describe, expect, test } from 'vitest'
import { effectiveSize, effectiveTheme, toggleOutcome, type Device, type State } from './effective.ts'
import { defaults, fromStorage, type LayoutSettings, type Size } from './settings.ts'

const phone: Device = { phone: true, tablet: true, narrow: true, dark: false }
const tablet: Device = { phone: false, tablet: true, narrow: false, dark: false }
const desktop: Device = { phone: false, tablet: false, narrow: false, dark: false }

function state(device: Device, size: Size, more: Partial<LayoutSettings> & { transient?: Size } = {}): State {
  const { transient = null, ...settings } = more
  return { device, transient, saved: { ...defaults, ...settings, sidenav: { ...defaults.sidenav, size } } }
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

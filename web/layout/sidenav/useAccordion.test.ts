import { expect, test } from 'vitest'
import { isGroupOpen, toggledGroup, withTrail, type OpenGroups } from './useAccordion.ts'

const closed: OpenGroups = { top: null, inner: [] }

test('opening a top-level group closes the one that was open, and pressing it again closes it', () => {
  const first = toggledGroup(closed, ['reports'])
  expect(isGroupOpen(first, ['reports'])).toBe(true)
  const second = toggledGroup(first, ['sidebars'])
  expect([isGroupOpen(second, ['reports']), isGroupOpen(second, ['sidebars'])]).toEqual([false, true])
  expect(toggledGroup(second, ['sidebars'])).toEqual(closed)
})

test('groups inside open and close each for itself', () => {
  const both = toggledGroup(toggledGroup({ ...closed, top: 'levels' }, ['levels', 'one']), ['levels', 'two'])
  expect([isGroupOpen(both, ['levels', 'one']), isGroupOpen(both, ['levels', 'two'])]).toEqual([true, true])
  expect(toggledGroup(both, ['levels', 'one'])).toEqual({ top: 'levels', inner: ['two'] })
})

test('the groups of the active link are opened; a link outside any group changes nothing', () => {
  expect(withTrail(closed, ['levels', 'third', 'fourth', 'link'])).toEqual({
    top: 'levels',
    inner: ['third', 'fourth'],
  })
  const open: OpenGroups = { top: 'reports', inner: ['third'] }
  expect(withTrail(open, ['dashboard'])).toBe(open)
  expect(withTrail(open, ['levels', 'third', 'link'])).toEqual({ top: 'levels', inner: ['third'] })
})

import { expect, test } from 'vitest'
import {
  countSelected,
  everythingSelected,
  isSelected,
  nothingSelected,
  press,
  select,
  stateOfPage,
} from './selection.ts'

const page = ['a', 'b', 'c', 'd']
const on = (id: string, isRange = false) => ({ id, isOn: true, page, isRange })
const off = (id: string, isRange = false) => ({ id, isOn: false, page, isRange })

test('selects one by one, and lets go', () => {
  const two = press(press(nothingSelected, on('a')), on('c'))
  expect([...two.ids]).toEqual(['a', 'c'])
  expect(countSelected(two, 312)).toBe(2)
  expect(stateOfPage(two, page)).toBe('some')
  expect([...press(two, off('a')).ids]).toEqual(['c'])
})

test('goes on from the last pressed row, in both directions, and takes a range back', () => {
  const down = press(press(nothingSelected, on('b')), on('d', true))
  expect([...down.ids]).toEqual(['b', 'c', 'd'])
  expect([...press(press(nothingSelected, on('c')), on('a', true)).ids].sort()).toEqual(['a', 'b', 'c'])
  expect([...press(press(down, off('c')), off('d', true)).ids]).toEqual(['b'])
})

test('a range from a row of another page is the row alone', () => {
  const elsewhere = press(nothingSelected, { id: 'z', isOn: true, page: ['z'], isRange: false })
  expect([...press(elsewhere, on('c', true)).ids]).toEqual(['z', 'c'])
})

test('all that match, over all pages, but a few', () => {
  const few = press(everythingSelected, off('b'))
  expect(countSelected(few, 8_214)).toBe(8_213)
  expect([isSelected(few, 'a'), isSelected(few, 'b'), isSelected(few, 'not seen yet')]).toEqual([
    true,
    false,
    true,
  ])
  expect(stateOfPage(few, page)).toBe('some')
  expect(stateOfPage(select(few, page, true), page)).toBe('all')
  expect(stateOfPage(select(few, page, false), page)).toBe('none')
})

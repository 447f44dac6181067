import { expect, test } from 'vitest'
import { isPressed } from './pageKeys.ts'

const bare = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }

test('a press is meant by the keys with which it is written, and no others', () => {
  expect(isPressed('Q', { ...bare, key: 'q' })).toBe(true)
  expect(isPressed('Q', { ...bare, key: 'q', ctrlKey: true })).toBe(false)
  expect(isPressed('Ctrl+Z', { ...bare, key: 'z', ctrlKey: true })).toBe(true)
  expect(isPressed('Ctrl+Z', { ...bare, key: 'z', metaKey: true })).toBe(true)
  expect(isPressed('Ctrl+Z', { ...bare, key: 'Z', ctrlKey: true, shiftKey: true })).toBe(false)
  expect(isPressed('Ctrl+Shift+Z', { ...bare, key: 'Z', ctrlKey: true, shiftKey: true })).toBe(true)
  expect(isPressed('Ctrl+Z', { ...bare, key: 'z', ctrlKey: true, altKey: true })).toBe(false)
})

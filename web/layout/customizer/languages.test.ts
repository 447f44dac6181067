import { expect, test } from 'vitest'
import { cookieOf } from './languages.ts'

test('the language that was chosen is kept in a cookie of this host and line', () => {
  const attributes = 'path=/; max-age=31536000; samesite=lax'
  expect(cookieOf('de', 'https:')).toBe(`__Host-language=de; ${attributes}; secure`)
  // Over a plain line a browser would not keep it under that name.
  expect(cookieOf('de', 'http:')).toBe(`language=de; ${attributes}`)
})

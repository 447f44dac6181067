import { expect, test } from 'vitest'
import { languageFor } from './languages.ts'

const tags = ['en-US', 'ar', 'de', 'pt-BR', 'zh-Hans']
const asked = (accepted: string, cookie = '') => languageFor({ 'accept-language': accepted, cookie }, tags)

test('a reader gets the language that their browser likes best of those there are', () => {
  expect(asked('de')).toBe('de')
  expect(asked('fr, de-AT;q=0.8, en;q=0.5')).toBe('de')
  expect(asked('en;q=0.5, de;q=0.9')).toBe('de')
  expect(asked('en-GB, de')).toBe('en-US')
  expect(asked('pt-PT')).toBe('pt-BR')
})

test('a language in another writing is another language', () => {
  expect(asked('zh-CN')).toBe('zh-Hans')
  expect(asked('zh-TW, de;q=0.1')).toBe('de')
})

test('what was chosen goes before what the browser says, if it is there', () => {
  expect(asked('de', 'device=x; language=ar')).toBe('ar')
  expect(asked('de', 'language=en-US')).toBe('en-US')
  expect(asked('de', '__Host-language=ar')).toBe('ar')
  expect(asked('de', 'language=tlh')).toBe('de')
})

test('nothing, or nonsense, is English', () => {
  expect(languageFor({}, tags)).toBe('en-US')
  for (const nonsense of ['*', 'x', 'de;q=0', ';;,', 'a-b-c-d', '-'.repeat(10_000)])
    expect(asked(nonsense)).toBe('en-US')
})

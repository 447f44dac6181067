import { afterAll, expect, test, vi } from 'vitest'
import { visits } from '#web/api/visits.ts'
import { startingSections } from './sections.ts'

const stored = new Map<string, string>()
vi.stubGlobal('localStorage', {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, text: string) => void stored.set(key, text),
})
afterAll(() => vi.unstubAllGlobals())

test('before a word is typed, the last five are offered, and of the rest what was opened three times', () => {
  for (const title of ['Often', 'Twice', 'Often', 'Twice', 'Often', 'a', 'b', 'c', 'd', 'e'])
    visits.add('ada', { kind: 'group', title, detail: '', picture: null, path: `/${title}` })
  const sections = startingSections({ visited: visits.read('ada'), here: '/settings', places: [] })
  expect(sections.map(({ label, options }) => [label, options.map(({ key }) => key)])).toEqual([
    ['Recent', ['/e', '/d', '/c', '/b', '/a']],
    ['Often', ['/Often']],
  ])
})

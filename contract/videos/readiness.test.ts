import { expect, test } from 'vitest'
import { readinessOf, type ReadinessFacts } from './readiness.ts'

const german = {
  language: 'de',
  kind: 'captions',
  isProofRead: true,
  isRecognised: false,
  fastCues: 0,
} as const
const ready = { state: 'ready', policy: 'warn', hasSound: true, captions: [german] } as const
const codesOf = (facts: Partial<ReadinessFacts>) =>
  readinessOf({ ...ready, ...facts }).gaps.map(({ code }) => code)

test('nothing is missing of a video with captions that somebody has proof-read', () => {
  expect(readinessOf(ready)).toEqual({ gaps: [], asksWhy: false })
})

test('a video that is being prepared, or failed, is told so whatever the organization asks', () => {
  expect(codesOf({ state: 'processing', policy: 'off', captions: [] })).toEqual(['preparing'])
  expect(codesOf({ state: 'uploading' })).toEqual(['preparing'])
  expect(codesOf({ state: 'failed', captions: [] })).toEqual(['failed', 'no_captions'])
  expect(codesOf({ state: 'archived' })).toEqual([])
})

test('captions are missing where there are only subtitles, and not where nothing is heard', () => {
  expect(codesOf({ captions: [] })).toEqual(['no_captions'])
  expect(codesOf({ captions: [{ ...german, kind: 'subtitles' }] })).toEqual(['no_captions'])
  expect(codesOf({ captions: [], hasSound: false })).toEqual([])
  expect(codesOf({ captions: [], hasSound: null })).toEqual(['no_captions'])
})

test('what a program made weighs more than what nobody has proof-read, each with its languages', () => {
  const open = { ...german, isProofRead: false }
  const english = { ...open, language: 'en', isRecognised: true }
  expect(readinessOf({ ...ready, captions: [open, english] }).gaps).toEqual([
    { code: 'recognised', languages: ['en'], cues: 0 },
    { code: 'not_proof_read', languages: ['de'], cues: 0 },
  ])
  expect(codesOf({ captions: [{ ...english, isProofRead: true }] })).toEqual([])
})

test('cues that are read too fast are counted over all languages, each named once', () => {
  const captions = [
    { ...german, fastCues: 2 },
    { ...german, kind: 'subtitles' as const, fastCues: 1 },
    { ...german, language: 'en' },
  ]
  expect(readinessOf({ ...ready, captions }).gaps).toEqual([{ code: 'too_fast', languages: ['de'], cues: 3 }])
})

test('an organization that asks nothing is told nothing of captions, one that requires them is asked why', () => {
  const bare = { captions: [{ ...german, kind: 'subtitles' as const, isProofRead: false, fastCues: 5 }] }
  expect(readinessOf({ ...ready, ...bare, policy: 'off' })).toEqual({ gaps: [], asksWhy: false })
  expect(readinessOf({ ...ready, ...bare, policy: 'warn' }).asksWhy).toBe(false)
  expect(readinessOf({ ...ready, ...bare, policy: 'require' }).asksWhy).toBe(true)
  expect(readinessOf({ ...ready, policy: 'require' }).asksWhy).toBe(false)
  expect(readinessOf({ ...ready, captions: [], hasSound: false, policy: 'require' }).asksWhy).toBe(false)
})

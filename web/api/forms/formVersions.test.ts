import { expect, test } from 'vitest'
import { around, wordTaken, wordValue } from './changeLabels.ts'
import { openFormVersions } from './formVersions.ts'

type Thing = { updatedAt: string; name: string; phone: string | null; groups: string[] }
const first: Thing = { updatedAt: '1', name: 'Ada', phone: null, groups: ['a'] }
const valuesOf = ({ name, phone, groups }: Thing) => ({ name, phone, groups })
const open = (loaded: Thing, stored: unknown = null) =>
  openFormVersions({ loaded, valuesOf, normalize: (values) => values, stored })

test('a version that changed nothing in the form is built upon without a word', () => {
  const versions = open(first)
  expect(versions.absorb({ ...first, updatedAt: '2' }, { ...valuesOf(first), name: 'Mine' })).toBeNull()
  expect(versions.read()).toMatchObject({ base: { updatedAt: '2' }, note: null })
})

test('what both have changed waits for a choice, made in the note or by typing', () => {
  const versions = open(first)
  const mine = { ...valuesOf(first), name: 'Mine', phone: '1' }
  const theirs = { ...first, updatedAt: '2', name: 'Theirs', phone: '2' }
  expect(versions.absorb(theirs, mine)).toEqual(mine)
  expect(versions.isSettled(mine)).toBe(false)
  versions.decide('name')
  expect(versions.isSettled(mine)).toBe(false)
  expect(versions.isSettled({ ...mine, phone: '2' })).toBe(true)
  expect(versions.isSettled({ ...mine, phone: '3' })).toBe(true)
  // Who has taken theirs and then types their own again, means it.
  versions.decide('phone')
  expect(versions.isSettled(mine)).toBe(true)
})

test('a reload before the choice asks again, one after it does not', () => {
  const versions = open(first)
  const mine = { ...valuesOf(first), name: 'Mine', groups: ['a', 'b'] }
  const theirs = { ...first, updatedAt: '2', name: 'Theirs', groups: ['a', 'c'] }
  const merged = versions.absorb(theirs, mine) ?? mine
  const again = open(theirs, versions.keep(merged))
  expect(again.resumed).toEqual({ ...mine, groups: ['a', 'c', 'b'] })
  expect(again.read().note).toMatchObject({ taken: [], conflicts: [{ field: 'name', mine: 'Mine' }] })
  versions.decide('name')
  const settled = open(theirs, versions.keep(merged))
  expect(settled.resumed).toEqual({ ...mine, groups: ['a', 'c', 'b'] })
  expect(settled.read().note).toBeNull()
})

test('a draft from an older version is merged into the present one', () => {
  const edit = open(first).keep({ ...valuesOf(first), name: 'Mine' })
  const later = open({ ...first, updatedAt: '2', phone: '2' }, edit)
  expect(later.resumed).toEqual({ name: 'Mine', phone: '2', groups: ['a'] })
  expect(later.read().note).toMatchObject({ since: '1', at: '2', taken: [{ field: 'phone', after: '2' }] })
})

test('senseless storage opens the form as it is', () => {
  for (const stored of ['text', 7, {}, { values: 'none' }, { values: { name: 5 }, version: '1' }])
    expect(open(first, stored).resumed ?? valuesOf(first)).toEqual(valuesOf(first))
})

const names: Record<string, string> = { a: 'Office', b: 'Night shift', c: 'Drivers' }
const words = (field: string, value: unknown) => (field === 'groups' ? names[String(value)] : undefined)

test('values are worded for people', () => {
  expect(wordValue('name', '')).toBe('empty')
  expect(wordValue('groups', [], words)).toBe('empty')
  expect(wordValue('groups', ['a', 'b', 'x'], words)).toBe('Office, Night shift, and 1 more')
  expect(wordTaken({ field: 'name', before: null, after: 'Ada' })).toBe('now “Ada”')
  expect(wordTaken({ field: 'groups', before: ['a', 'b'], after: ['b', 'c'] }, words)).toBe(
    'Drivers added, Office taken out',
  )
})

test('long texts are shown from where they part', () => {
  const same = 'x'.repeat(500)
  const { mine, theirs } = around(`${same} mine`, `${same} theirs`)
  expect(mine).toMatch(/^…x{60} mine$|^…x+ mine$/)
  expect(theirs).toMatch(/ theirs$/)
  expect(around('short', 'other')).toEqual({ mine: 'short', theirs: 'other' })
})

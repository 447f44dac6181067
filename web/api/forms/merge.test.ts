import { describe, expect, test } from 'vitest'
import { adopt, isSameForm, merge } from './merge.ts'

const base = {
  name: 'Acme',
  domain: null as string | null,
  policies: { mfa: 'optional', maxRate: 2 },
  groupIds: ['a', 'b'],
}

describe('two versions of one thing', () => {
  test('what only one of the two has changed is as they left it', () => {
    const mine = { ...base, name: 'Acme Inc', policies: { ...base.policies, maxRate: 3 } }
    const theirs = { ...base, domain: 'acme.org', policies: { ...base.policies, mfa: 'required' } }
    expect(merge({ base, mine, theirs })).toEqual({
      values: {
        name: 'Acme Inc',
        domain: 'acme.org',
        policies: { mfa: 'required', maxRate: 3 },
        groupIds: ['a', 'b'],
      },
      taken: [
        { field: 'domain', before: null, after: 'acme.org' },
        { field: 'policies.mfa', before: 'optional', after: 'required' },
      ],
      conflicts: [],
    })
  })

  test('what both have changed differently holds mine and is asked about; the same change is none', () => {
    const mine = { ...base, name: 'Mine', domain: 'same.org' }
    const theirs = { ...base, name: 'Theirs', domain: 'same.org' }
    const merged = merge({ base, mine, theirs })
    expect(merged.conflicts).toEqual([{ field: 'name', base: 'Acme', mine: 'Mine', theirs: 'Theirs' }])
    expect(merged.values).toEqual(mine)
    expect(merged.taken).toEqual([])
  })

  test('emptying a field is a change, and an empty text is the same as none', () => {
    const filled = { ...base, domain: 'acme.org' as string | null }
    expect(
      merge({ base: filled, mine: { ...filled, domain: null }, theirs: filled }).values.domain,
    ).toBeNull()
    expect(
      merge({ base, mine: { ...base, domain: '' }, theirs: { ...base, domain: 'x.org' } }).conflicts,
    ).toEqual([])
  })

  test.each([
    [['a', 'b', 'c'], ['a', 'b', 'd'], ['a', 'b', 'd', 'c'], true],
    [['b'], ['a', 'b', 'd'], ['b', 'd'], true],
    [['a', 'b', 'c'], ['a'], ['a', 'c'], true],
    [['b'], ['a'], [], true],
    [['a', 'b', 'c'], ['b', 'a', 'c'], ['b', 'a', 'c'], false],
    [['a'], ['a'], ['a'], false],
  ])('lists are sets: %j and %j make %j', (...[mine, theirs, both, isTold]) => {
    const merged = merge({
      base,
      mine: { ...base, groupIds: mine },
      theirs: { ...base, groupIds: theirs },
    })
    expect(merged.values.groupIds).toEqual(both)
    expect(merged.conflicts).toEqual([])
    expect(merged.taken).toEqual(isTold ? [{ field: 'groupIds', before: mine, after: both }] : [])
  })

  test('merging again with what came in before changes nothing more', () => {
    const mine = { ...base, name: 'Mine', groupIds: ['a', 'b', 'c'] }
    const theirs = { ...base, domain: 'acme.org', groupIds: ['b'] }
    const once = merge({ base, mine, theirs })
    expect(merge({ base, mine: once.values, theirs })).toEqual({ ...once, taken: [] })
    expect(merge({ base: theirs, mine: once.values, theirs })).toEqual({ ...once, taken: [] })
  })
})

describe('what storage has kept', () => {
  test('fits the form that it is put into', () => {
    const stored = { name: 'Typed', policies: { maxRate: null, gone: 1 }, groupIds: ['a', 7], more: true }
    expect(adopt(base, stored)).toEqual({
      name: 'Typed',
      domain: null,
      policies: { mfa: 'optional', maxRate: Number.NaN },
      groupIds: ['a', 'b'],
    })
  })

  test.each([null, 'text', 7, [], { name: { first: 'A' } }, { policies: 'none' }])(
    'is ignored where it makes no sense: %j',
    (stored) => {
      expect(adopt(base, stored)).toEqual(base)
    },
  )

  test('the order of fields does not count as a change', () => {
    expect(isSameForm({ a: 1, b: { c: 2, d: '' } }, { b: { d: null, c: 2 }, a: 1 })).toBe(true)
    expect(isSameForm({ a: 1 }, { a: 2 })).toBe(false)
  })
})

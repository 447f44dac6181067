import { expect, test } from 'vitest'
import { eachOnce, Tag, tagKey, Tags } from './tags.ts'

const faultOf = (tag: string) => Tag.safeParse(tag).error?.issues[0]?.message

test('a tag is one line without a comma, with single spaces', () => {
  expect(Tag.parse('  Fire \t safety ')).toBe('Fire safety')
  expect(faultOf('   ')).toBe('required')
  expect(faultOf('x'.repeat(41))).toBe('too_long')
  expect(faultOf('Fire, water')).toBe('invalid')
  expect(faultOf('a\u202Eb')).toBe('invalid')
})

test('the same tag is kept once, as it was written first', () => {
  expect(tagKey(' FIRE  Safety')).toBe('fire safety')
  expect(eachOnce(['Fire safety', 'Crew', 'fire Safety'])).toEqual(['Fire safety', 'Crew'])
  expect(Tags.parse(['Ärzte', 'ärzte ', 'ÄRZTE'])).toEqual(['Ärzte'])
})

test('twenty of them at most, each counted once', () => {
  const many = Array.from({ length: 20 }, (_, n) => `Tag ${n}`)
  expect(Tags.parse([...many, 'tag 0'])).toHaveLength(20)
  expect(Tags.safeParse([...many, 'One more']).success).toBe(false)
})

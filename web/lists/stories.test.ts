import { expect, test } from 'vitest'
import { storiesOf } from './stories.ts'

const entry = (id: string, of: `${string} ${string}`, second: string) => {
  const [entity = '', entityId = ''] = of.split(' ')
  return { id, entity, entityId, at: `2026-11-29T14:44:${second}.000Z` }
}

test('what becomes of one transmission within a minute is one story; of anything else, each entry is one', () => {
  const entries = [
    entry('finished', 'transmission one', '40'),
    entry('started', 'transmission one', '20'),
    entry('other', 'transmission two', '19'),
    entry('created', 'transmission one', '18'),
    entry('changed', 'user three', '17'),
    entry('added', 'user three', '16'),
    { ...entry('before', 'transmission one', '15'), at: '2026-11-29T14:43:59.000Z' },
  ]
  expect(storiesOf(entries).map((story) => story.map(({ id }) => id))).toEqual([
    ['finished', 'started'],
    ['other'],
    ['created'],
    ['changed'],
    ['added'],
    ['before'],
  ])
})

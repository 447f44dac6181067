// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { fromStorage, inOrder, shown, tables, unchanged } from './choice.ts'

const columns = [{ key: 'name', isName: true }, { key: 'email' }, { key: 'role' }, { key: 'state' }]
const keys = (list: readonly { key: string }[]) => list.map(({ key }) => key)

test('without a choice the columns are as the page has them', () => {
  expect(shown(columns, unchanged)).toEqual(columns)
})

test('what names the row comes first and cannot be left out', () => {
  const choice = { order: ['state', 'name', 'email', 'role'], hidden: ['name', 'role'] }
  expect(keys(inOrder(columns, choice))).toEqual(['name', 'state', 'email', 'role'])
  expect(keys(shown(columns, choice))).toEqual(['name', 'state', 'email'])
})

test('a column that is newer than the choice comes at the end, and one that is gone is forgotten', () => {
  const choice = { order: ['role', 'vanished', 'email'], hidden: ['vanished'] }
  expect(keys(shown(columns, choice))).toEqual(['name', 'role', 'email', 'state'])
})

test('what is stored is taken as far as it makes sense', () => {
  const nothing = { density: 'normal', rows: 25, columns: {} }
  expect(fromStorage(null)).toEqual(nothing)
  expect(fromStorage('{"density":')).toEqual(nothing)
  expect(fromStorage('{"density":"huge","columns":[]}')).toEqual(nothing)
  expect(
    fromStorage('{"density":"wide","rows":50,"columns":{"users":{"order":["a",1],"hidden":"b"}}}'),
  ).toEqual({
    density: 'wide',
    rows: 50,
    columns: { users: { order: ['a'], hidden: [] } },
  })
})

test('a reset forgets the columns of one table, and the density of all', () => {
  tables.setDensity('wide')
  tables.setColumns('users', { order: ['state'], hidden: [] })
  tables.setColumns('groups', { order: [], hidden: ['created'] })
  tables.reset('users')
  expect(JSON.parse(localStorage.getItem('tables') ?? '')).toEqual({
    density: 'normal',
    rows: 25,
    columns: { groups: { order: [], hidden: ['created'] } },
  })
})

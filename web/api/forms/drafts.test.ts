import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { draftDays, drafts } from './drafts.ts'
import { session } from '../session.ts'

const stored = new Map<string, string>()
const storage = {
  get length() {
    return stored.size
  },
  key: (at: number) => [...stored.keys()][at] ?? null,
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, text: string) => void stored.set(key, text),
  removeItem: (key: string) => void stored.delete(key),
}
const person = (id: string) => ({
  id,
  email: `${id}@example.test`,
  name: id,
  role: 'admin' as const,
  avatar: null,
  organizationId: null,
  organizationName: null,
  groupIds: [],
  mfa: { enrolled: false, methods: [] },
})
const [mine, yours] = [drafts.keyOf('ada', 'user:1'), drafts.keyOf('bob', 'user:1')]
const keys = () => [...stored.keys()].filter((key) => key.startsWith('draft:'))

vi.stubGlobal('localStorage', storage)
beforeEach(() => {
  session.apply({ type: 'signed-in', token: 'sr_1', user: person('ada') })
  drafts.write(mine, { name: 'Typed' })
})
afterEach(() => {
  vi.useRealTimers()
  stored.clear()
})
afterAll(() => vi.unstubAllGlobals())

test('a draft is found again, and belongs to one person', () => {
  expect(drafts.read(mine)?.content).toEqual({ name: 'Typed' })
  expect(drafts.read(yours)).toBeNull()
})

test('it is forgotten after seven days', () => {
  vi.useFakeTimers({ now: Date.now() + draftDays * 86_400_000 + 1_000 })
  expect(drafts.read(mine)).toBeNull()
  drafts.write(yours, 'new')
  drafts.forgetOld()
  expect(keys()).toEqual([yours])
})

test('signing out forgets those of everybody', () => {
  drafts.write(yours, 'of another person')
  session.apply({ type: 'signed-out' })
  expect(keys()).toEqual([])
})

test('another person who signs in finds none of anybody else', () => {
  session.apply({ type: 'signed-in', token: 'sr_2', user: person('bob') })
  expect(keys()).toEqual([])
})

test('a session that ended by itself leaves them for its owner', () => {
  session.expire('sr_1')
  expect(session.read().user).toBeNull()
  session.apply({ type: 'signed-in', token: 'sr_3', user: person('ada') })
  expect(drafts.read(mine)?.content).toEqual({ name: 'Typed' })
  session.apply({ type: 'signed-out' })
  expect(keys()).toEqual([])
})

test('what makes no sense is no draft', () => {
  stored.set(mine, '{"at":"yesterday"}')
  expect(drafts.read(mine)).toBeNull()
  stored.set(mine, 'null')
  expect(drafts.read(mine)).toBeNull()
})

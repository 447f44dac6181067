import path from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from '#server/platform/db/migrations.ts'
import { brokenSteps, keptVersions, missingVersions, toldVersions } from './kept.ts'
import { versionOf } from './ready.ts'

const root = path.resolve(import.meta.dirname, '..')

test('every migration with which a version was released is there, unchanged', () => {
  expect(keptVersions(root).length).toBeGreaterThan(0)
  expect(brokenSteps(keptVersions(root), migrations())).toEqual([])
})

test('an installation of every released version was kept', () => {
  expect(missingVersions(toldVersions(root), keptVersions(root), versionOf(root))).toEqual([])
})

test('a migration that was changed or taken away after a release is named with what to do', () => {
  const present = [
    { name: '0001_initial', hash: 'a' },
    { name: '0003_counting', hash: 'other' },
    { name: '0004_added', hash: 'd' },
  ]
  const made = [
    { name: '0001_initial', hash: 'a' },
    { name: '0002_gone', hash: 'b' },
    { name: '0003_counting', hash: 'c' },
  ]
  expect(brokenSteps([{ version: '0.1.0', migrations: made }], present)).toEqual([
    'Migration 0002 is gone, and 0.1.0 was released with it: put it back (0002_gone).',
    'Migration 0003 was changed after 0.1.0 was released: write a new one (0003_counting).',
  ])
})

test('a released version that was not kept is named; the one that is not released yet may be missing', () => {
  const kept = [{ version: '0.1.0', migrations: [] }]
  expect(missingVersions(['0.3.0', '0.2.0', '0.1.0'], kept, '0.3.0')).toEqual([
    'Nothing was kept of 0.2.0: on its tag, npm run release -- --keep.',
  ])
})

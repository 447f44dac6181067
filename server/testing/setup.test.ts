import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sweepRuns } from './setup.ts'

test('the next run removes what a run that was killed has left, and nothing else', async () => {
  const place = await mkdtemp(path.join(os.tmpdir(), 'sendreel-sweep-'))
  const dead = spawnSync(process.execPath, ['--version']).pid
  const names = [
    `sendreel-run-${dead}-a`,
    `sendreel-run-${process.pid}-b`,
    'sendreel-run-c',
    `other-${dead}-d`,
  ]
  for (const name of names) await mkdir(path.join(place, name, 'postgres'), { recursive: true })
  sweepRuns(place)
  expect(names.filter((name) => existsSync(path.join(place, name)))).toEqual(names.slice(1))
})

import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packFile, sha256 } from './pack.ts'

let place: string
beforeAll(() => {
  place = mkdtempSync(path.join(os.tmpdir(), 'sendreel-pack-'))
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** The same files as somebody else would have them: made in another order, at another time, closed to others. */
async function sumOf(who: string, names: string[], mode: number): Promise<string> {
  const base = path.join(place, who)
  mkdirSync(path.join(base, 'sendreel'), { recursive: true, mode: mode | 0o100 })
  for (const name of names) {
    const file = path.join(base, 'sendreel', name)
    writeFileSync(file, `This is ${name}`)
    chmodSync(file, name === 'program' ? mode | 0o100 : mode)
    utimesSync(file, names.indexOf(name), 1_000_000 + mode)
  }
  const file = path.join(place, `${who}.tar.gz`)
  await packFile({ base, names: ['sendreel'], time: '1790000000' }, file)
  return sha256(file)
}

test('the same files give the same archive, whoever packs them', async () => {
  const first = await sumOf('first', ['b', 'a', 'program'], 0o644)
  expect(await sumOf('second', ['program', 'a', 'b'], 0o600)).toBe(first)
  expect(await sumOf('third', ['program', 'a', 'b', 'c'], 0o600)).not.toBe(first)
})

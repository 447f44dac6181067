import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { complete } from './folder.ts'
import { versionOf } from './ready.ts'

const root = path.resolve(import.meta.dirname, '..')
const hasKeygen = spawnSync('ssh-keygen', ['-?'], { stdio: 'ignore' }).error === undefined
let place: string

beforeAll(() => {
  place = mkdtempSync(path.join(os.tmpdir(), 'sendreel-folder-'))
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** A folder as it is when the archives are made. */
function folder(): string {
  const into = mkdtempSync(path.join(place, 'release-'))
  writeFileSync(path.join(into, 'sendreel-1-linux-x64.tar.gz'), 'an archive')
  return into
}

/** Whether a program that whoever gets a release has is content with it. */
const isContent = (into: string, [program = '', ...words]: string[], input = '') =>
  spawnSync(program, words, { cwd: into, input }).status === 0

test('a release is published with the recipe of its image, what is new in it, and the sums of everything', async () => {
  const into = folder()
  await complete({ root, into, key: undefined })
  const names = ['Containerfile', 'SHA256SUMS', 'compose.yaml', 'notes.md', 'sendreel-1-linux-x64.tar.gz']
  expect(readdirSync(into).toSorted()).toEqual(names.toSorted())
  for (const name of ['Containerfile', 'compose.yaml'])
    expect(readFileSync(path.join(into, name))).toEqual(readFileSync(path.join(root, name)))
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  const notes = readFileSync(path.join(into, 'notes.md'), 'utf8')
  expect(changelog).toContain(`\n## ${versionOf(root)}\n\n${notes}`)
  expect(notes).not.toMatch(/^## /m)
  const check = ['sha256sum', '--check', '--strict', 'SHA256SUMS']
  expect(isContent(into, check)).toBe(true)
  const sums = readFileSync(path.join(into, 'SHA256SUMS'), 'utf8')
  expect(sums.trim().split('\n')).toHaveLength(names.length - 1)
  appendFileSync(path.join(into, 'notes.md'), 'more')
  expect(isContent(into, check)).toBe(false)
})

test.runIf(hasKeygen)('the sums are signed by the key that is named (needs ssh-keygen)', async () => {
  for (const kind of ['ed25519', 'ecdsa', 'rsa']) {
    const key = path.join(place, kind)
    execFileSync('ssh-keygen', ['-q', '-t', kind, '-N', '', '-f', key])
    const into = folder()
    await complete({ root, into, key })
    const check = 'ssh-keygen -Y verify -f signers -I sendreel -n file -s SHA256SUMS.sig'.split(' ')
    const sums = readFileSync(path.join(into, 'SHA256SUMS'), 'utf8')
    expect(isContent(into, check, sums)).toBe(true)
    expect(isContent(into, check, sums.replace('notes', 'votes'))).toBe(false)
    const [type, half] = readFileSync(`${key}.pub`, 'utf8').split(' ')
    expect(readFileSync(path.join(into, 'signers'), 'utf8')).toBe(
      `sendreel namespaces="file" ${type} ${half}\n`,
    )
  }
})

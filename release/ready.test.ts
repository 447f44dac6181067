import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '#server/platform/db/migrations.ts'
import { versionOf } from './ready.ts'

const root = path.resolve(import.meta.dirname, '..')
let copy: string

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.test', ...args], { cwd: copy })
const commit = () => {
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '--message', 'As it is')
}
const file = (name: string) => path.join(copy, name)

const versionThere = () => versionOf(copy)
const keptManifest = () => file(`release/kept/${versionThere()}/backup/manifest.json`)

/** As after `--keep`, whatever was changed since an installation was really kept. */
function keepPresent(): void {
  const keptFolder = file('release/kept')
  const any = readdirSync(keptFolder).find((name) => /^\d/.test(name)) ?? ''
  if (any !== versionThere())
    cpSync(path.join(keptFolder, any), path.join(keptFolder, versionThere()), { recursive: true })
  const manifest = JSON.parse(readFileSync(keptManifest(), 'utf8')) as object
  const made = migrations().map(({ name, hash }) => ({ name, hash }))
  writeFileSync(keptManifest(), JSON.stringify({ ...manifest, migrations: made }))
}

beforeAll(() => {
  copy = mkdtempSync(path.join(os.tmpdir(), 'sendreel-ready-'))
  for (const name of ['release', 'package.json', 'package-lock.json', 'CHANGELOG.md', '.gitignore'])
    cpSync(path.join(root, name), file(name), { recursive: true })
  // Nobody answers there, whatever is known about packages today.
  writeFileSync(file('.npmrc'), 'registry=http://127.0.0.1:9/\n')
  for (const name of ['node_modules', 'server', 'contract']) symlinkSync(path.join(root, name), file(name))
  // The release gets no further than this, which says so.
  writeFileSync(file('run.mjs'), `console.log('it would be built now'); process.exit(1)`)
  keepPresent()
  git('init', '--quiet')
  commit()
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const release = (...options: string[]): string => releaseBy('', ...options)

function releaseBy(key: string, ...options: string[]): string {
  const run = spawnSync(process.execPath, ['release/main.ts', ...options], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, RELEASE_KEY: key },
  })
  expect(run.status).toBe(1)
  return run.stdout + run.stderr
}

test('what is committed, new and told in the changelog is released, and packages that nobody audits are mentioned', () => {
  expect(release('--tag')).toMatch(/^No advisory was checked: .+\nit would be built now\n/)
})

test('a change that is not committed is no part of a release', () => {
  appendFileSync(file('LICENSE'), 'more')
  expect(release()).toMatch(/^There are changes that are not committed/)
  commit()
  expect(release()).toContain('it would be built now')
})

test('a version is released once', () => {
  const version = versionThere()
  git('tag', `v${version}`)
  expect(release('--tag')).toBe(`Version ${version} was released already: raise "version" in package.json.\n`)
  git('tag', '--delete', `v${version}`)
})

test('a version is tagged only when an installation of it, with its tables, was kept', () => {
  const version = versionThere()
  const manifest = JSON.parse(readFileSync(keptManifest(), 'utf8')) as { migrations: object[] }
  writeFileSync(keptManifest(), JSON.stringify({ ...manifest, migrations: manifest.migrations.slice(0, -1) }))
  commit()
  expect(release('--tag')).toBe(
    `The installation that was kept of ${version} has other tables than this checkout: npm run release -- --keep makes it anew. Commit it.\n`,
  )
  rmSync(file(`release/kept/${version}`), { recursive: true })
  commit()
  expect(release('--tag')).toMatch(/^No installation was kept of .+ npm run release -- --keep makes it\. /)
  git('reset', '--quiet', '--hard', 'HEAD~2')
})

test('a version of which people are told nothing is not released', () => {
  const manifest = readFileSync(file('package.json'), 'utf8')
  // Neither the section of 0.1.0 nor a heading alone says anything of 0.1.
  writeFileSync(file('package.json'), manifest.replace(/"version": "[^"]+"/, '"version": "0.1"'))
  appendFileSync(file('CHANGELOG.md'), '\n## 0.1\n')
  commit()
  expect(release()).toMatch(/^CHANGELOG\.md has no section "## 0\.1"/)
  appendFileSync(file('CHANGELOG.md'), '\nSomething new.\n')
  commit()
  expect(release()).toContain('it would be built now')
})

test('a release that should be signed is begun only where its key is', () => {
  expect(releaseBy(file('no-key'))).toBe(`There is no key at ${file('no-key')}, which RELEASE_KEY names.\n`)
  expect(releaseBy(file('LICENSE'))).toContain('it would be built now')
})

test('a wrong word is not taken for a wish to do without it', () => {
  expect(release('--tags')).toBe('Unknown: --tags. There are --keep and --tag, and nothing else.\n')
})

test('every command of the product is one of a release too', () => {
  const commands = readFileSync(path.join(root, 'run.mjs'), 'utf8').matchAll(/'(server\/[\w/-]+\.ts)'/g)
  const entries = [...commands].map(([, entry = '']) => entry)
  const script = readFileSync(path.join(import.meta.dirname, 'sendreel'), 'utf8')
  expect(entries.length).toBeGreaterThan(2)
  expect(entries.filter((entry) => !script.includes(`entry=${entry}`))).toEqual([])
})

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'

/** Places and settings of npm that somebody had, for installing and building; for serving: `server/odd-machines.long.test.ts`. */

const root = path.resolve(import.meta.dirname, '..')
const folder = mkdtempSync(path.join(os.tmpdir(), 'sendreel-checkouts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const plain = { PATH: process.env['PATH'] ?? '', HOME: os.homedir() }

/** A checkout of its own, as it is now, with the packages of this one. */
function checkoutIn(name: string): string {
  const place = path.join(mkdtempSync(path.join(folder, 'checkout-')), name)
  mkdirSync(place)
  for (const part of [
    'build',
    'contract',
    'run',
    'texts',
    'web',
    'run.mjs',
    'package.json',
    'package-lock.json',
    '.npmrc',
    'vite.config.ts',
    'tsconfig.json',
    'tsconfig.base.json',
  ])
    cpSync(path.join(root, part), path.join(place, part), { recursive: true })
  return place
}

test('a checkout whose path has the signs of an address, a pattern or a shell is built', () => {
  const place = checkoutIn(`a#b?c%20d [x] {y} (1) 'é" & $HOME; = +,!`)
  symlinkSync(path.join(root, 'node_modules'), path.join(place, 'node_modules'))
  const env = { ...plain, NODE_ENV: 'development' }
  const { stdout, stderr, status } = spawnSync(process.execPath, ['run.mjs', 'build'], {
    cwd: place,
    env,
    encoding: 'utf8',
  })
  expect({ stdout, stderr, status }).toMatchObject({ stderr: '', status: 0 })
  const pages = readdirSync(path.join(place, 'dist/web'))
  expect(pages).toEqual(expect.arrayContaining(['index.html', 'public.html', 'pages']))
  // The gallery of widgets is for development only.
  expect(
    readdirSync(path.join(place, 'dist/web/assets')).filter((file) => file.startsWith('Gallery')),
  ).toEqual([])
})

/** Node.js and npm of the system, which install the packages. */
const system = spawnSync('sh', ['-c', 'command -v node && command -v npm && node --version'], {
  env: {
    PATH: plain.PATH.split(':')
      .filter((folder_) => !folder_.includes('node_modules'))
      .join(':'),
  },
  encoding: 'utf8',
})
  .stdout.trim()
  .split('\n')

test.for([
  'engine-strict=true',
  'package-lock=false',
  'package-lock-only=true',
  'dry-run=true',
  'omit=optional\nomit=dev',
  'production=true',
  'global=true',
  'location=global',
  'workspaces=true',
  'install-strategy=linked',
  'os=darwin\ncpu=s390x',
  'strict-peer-deps=true\nlegacy-peer-deps=false',
  'legacy-peer-deps=true',
  'ignore-scripts=false\nsave-exact=false',
])('npm with %j installs what is needed', (settings, { skip }) => {
  const [node = '', npm = ''] = system
  if (system.length < 3) skip('the system has no npm of its own')
  const place = checkoutIn('checkout')
  writeFileSync(path.join(place, 'npmrc'), settings)
  // Only asked what it would do: the packages have a gigabyte.
  const words = `import('node:child_process').then(({ spawnSync }) => process.exit(spawnSync(${JSON.stringify(npm)}, [...process.argv.slice(2), '--dry-run'], { stdio: 'inherit' }).status))`
  writeFileSync(path.join(place, 'npm-cli.js'), words)
  const env = {
    ...plain,
    PATH: path.dirname(node),
    npm_execpath: path.join(place, 'npm-cli.js'),
    npm_config_userconfig: path.join(place, 'npmrc'),
  }
  const { stdout, stderr } = spawnSync(node, ['run.mjs', 'build'], { cwd: place, env, encoding: 'utf8' })
  expect(stderr).not.toContain('npm error')
  expect(stdout).toMatch(/^add (node-\w+-\w+|node-bin-\S+) 26/m)
  expect(stdout).toMatch(/^add vite /m)
})

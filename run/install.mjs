import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alone } from './lock.mjs'
import { checkPlatform, hasProjectNode, projectNode, ROOT, run, step } from './process.mjs'

const LOCK_FILE = join(ROOT, 'package-lock.json')
const MARKER = join(ROOT, 'node_modules', '.sendreel-lock')

const FAILED = `
The packages could not be installed; npm says why above. Usual reasons:
- this machine does not reach the package registry (try: npm ping)
- the disk is full, or this user may not write to ${join(ROOT, 'node_modules')}
Then run the same command again: it begins afresh.`

/** Installs the packages that package-lock.json names, unless they are there. */
export async function ensureInstalled() {
  checkPlatform()
  if (isInstalled()) return
  await alone(async () => {
    if (isInstalled()) return
    if (!agreesWithLockFile()) await step('Installing packages (1.3 GB, takes a minute or two)', install)
    projectNode()
    // Last, so that an installation that was cut short is done again.
    writeFileSync(MARKER, wanted())
  })
}

function isInstalled() {
  return existsSync(MARKER) && readFileSync(MARKER, 'utf8') === wanted()
}

function wanted() {
  const platform = `${process.platform}-${process.arch}`
  return createHash('sha256').update(readFileSync(LOCK_FILE)).update(platform).digest('hex')
}

// Somebody may have run npm by hand: npm notes, as its last act, what it installed.
function agreesWithLockFile() {
  const note = join(ROOT, 'node_modules', '.package-lock.json')
  if (!existsSync(note) || !hasProjectNode()) return false
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages
  const { '': _project, ...locked } = JSON.parse(readFileSync(LOCK_FILE, 'utf8')).packages
  const isRight = ([path, { version }]) => locked[path]?.version === version
  const isThere = ([path, { optional }]) => optional || path in installed
  return Object.entries(installed).every(isRight) && Object.entries(locked).every(isThere)
}

function install() {
  rmSync(MARKER, { force: true })
  // Named in spite of NODE_ENV=production: the web app is built here. No package needs its install script.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--loglevel=error']
  const npm = process.env.npm_execpath
  if (npm && /npm-cli\.c?js$/.test(npm)) return run(process.execPath, [npm, ...args], { failed: FAILED })
  return run('npm', args, { failed: FAILED, shell: process.platform === 'win32' })
}

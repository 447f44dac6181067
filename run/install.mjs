import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alone } from './lock.mjs'
import { checkPlatform, hasProjectNode, projectNode, ROOT, run, step } from './process.mjs'

const LOCK_FILE = join(ROOT, 'package-lock.json')
const MARKER = join(ROOT, 'node_modules', '.sendreel-lock')

/** What npm must do whatever its user has decided for projects of their own (in ~/.npmrc, npm_config_…, NODE_ENV). */
const SETTINGS = [
  // The web app is built here, and Node.js is an optional package.
  'include=dev',
  'include=optional',
  // No package needs its install script.
  'ignore-scripts',
  // The packages run on the Node.js that is among them, not on the one that installs.
  'engine-strict=false',
  `os=${process.platform}`,
  `cpu=${process.arch}`,
  'global=false',
  'location=project',
  'workspaces=false',
  'install-strategy=hoisted',
  'package-lock',
  'package-lock-only=false',
  'dry-run=false',
  'loglevel=error',
]

const FAILED = `
The packages could not be installed; npm says why above. Usual reasons:
- this machine does not reach the package registry (try: npm ping)
- the disk is full, or this user may not write to ${join(ROOT, 'node_modules')}
Then run the same command again: it begins afresh.`

/** Installs the packages that package-lock.json names, unless they are there. */
export async function ensureInstalled() {
  checkPlatform()
  if (isMarked()) return
  await alone(async () => {
    if (isMarked()) return
    if (!agreesWithLockFile()) await step('Installing packages (1.3 GB, takes a minute or two)', install)
    projectNode()
    // Last, so that an installation that was cut short is done again.
    writeFileSync(MARKER, wanted())
  })
}

/** Whether the packages are there, whoever installed them. */
export function isInstalled() {
  return isMarked() || agreesWithLockFile()
}

function isMarked() {
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
  const args = ['ci', ...SETTINGS.map((setting) => `--${setting}`)]
  const npm = process.env.npm_execpath
  if (npm && /npm-cli\.c?js$/.test(npm)) return run(process.execPath, [npm, ...args], { failed: FAILED })
  return run('npm', args, { failed: FAILED, shell: process.platform === 'win32' })
}

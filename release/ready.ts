import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'
import { whyNotKept } from './kept.ts'

const Manifest = z.object({ version: z.string() })

export const git = (root: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

export const versionOf = (root: string): string =>
  Manifest.parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))).version

/** Why the checkout cannot be released as it is, in sentences; none when it can. To be tagged it must have been kept, too. */
export function whyNotReady(root: string, isTagged: boolean, key: string | undefined): string[] {
  const version = versionOf(root)
  const reasons: string[] = []
  if (git(root, 'status', '--porcelain') !== '')
    reasons.push('There are changes that are not committed: a release is made of what everybody can read.')
  if (git(root, 'tag', '--list', `v${version}`) !== '')
    reasons.push(`Version ${version} was released already: raise "version" in package.json.`)
  if (newsOf(root, version) === '')
    reasons.push(
      `CHANGELOG.md has no section "## ${version}": say what people can do now and must do to update.`,
    )
  if (key !== undefined && !existsSync(key))
    reasons.push(`There is no key at ${key}, which RELEASE_KEY names.`)
  const unkept = isTagged ? whyNotKept(root, version) : undefined
  if (unkept !== undefined) reasons.push(unkept)
  return reasons
}

/** What CHANGELOG.md says of a version, without its heading; empty where that is nothing. */
export function newsOf(root: string, version: string): string {
  const file = path.join(root, 'CHANGELOG.md')
  if (!existsSync(file)) return ''
  const sections = readFileSync(file, 'utf8').split(/^## /m)
  const section = sections.find((one, at) => at > 0 && one.split(/[ ,\n]/)[0] === version) ?? ''
  return section.split('\n').slice(1).join('\n').trim()
}

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'
import { listLicences, readBundled } from './licences.ts'
import { npm } from './npm.ts'
import { git } from './ready.ts'
import { writeBill } from './sbom.ts'

export type Cpu = 'x64' | 'arm64'

/**
 * What a release holds of the project itself. Node strips the types; nothing that only builds or tests, or that is for another
 * processor, comes along.
 */
const isShipped = (file: string, cpu: Cpu): boolean =>
  /^(?:server|contract|deploy)\//.test(file)
    ? !/^server\/testing\/|\.test\.ts$|(?:^|\/)tsconfig\.json$/.test(file) &&
      !new RegExp(`/linux-(?!${cpu}/)`).test(file)
    : [
        'run/requireNode.mjs',
        'LICENSE',
        'THIRD_PARTY.md',
        'CHANGELOG.md',
        'docs/operating.md',
        // The pages about the API are drawn from it.
        'docs/api.md',
      ].includes(file)

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  type: z.string(),
  imports: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
})

/** Lays everything that a release for this processor holds into an empty folder. The web app must have been built. */
export function stage(root: string, folder: string, cpu: Cpu): void {
  for (const file of git(root, 'ls-files', '-co', '--exclude-standard').split('\n'))
    if (isShipped(file, cpu) && existsSync(path.join(root, file)))
      cpSync(path.join(root, file), path.join(folder, file))
  cpSync(path.join(root, 'dist'), path.join(folder, 'dist'), {
    recursive: true,
    filter: (from) => path.basename(from) !== '.built',
  })
  cpSync(path.join(import.meta.dirname, 'sendreel'), path.join(folder, 'sendreel'))
  chmodSync(path.join(folder, 'sendreel'), 0o755)
  install(root, folder, cpu)
  writeManifest(root, folder, cpu)
  const bundled = readBundled(root)
  // Before anything is taken away: what is told is what was installed.
  writeFileSync(path.join(folder, 'licences.txt'), listLicences(folder, bundled))
  writeBill({ root, folder, bundled })
  slim(folder, cpu)
}

/** The packages of production for that system, from the lock file alone; none of them needs its install script. */
function install(root: string, folder: string, cpu: Cpu): void {
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    cpSync(path.join(root, file), path.join(folder, file))
  const fetch = () =>
    npm(folder, 'ci', '--omit=dev', '--ignore-scripts', '--os=linux', `--cpu=${cpu}`, '--libc=glibc')
  fetch()
  if (lackingIn(folder, cpu).length > 0) fetch()
  const lacking = lackingIn(folder, cpu)
  if (lacking.length > 0)
    throw new Error(`npm could not fetch ${lacking.join(', ')}, without which nothing runs. Try again later.`)
  for (const file of ['package-lock.json', '.npmrc']) rmSync(path.join(folder, file))
}

const Names = z.optional(z.union([z.string(), z.array(z.string())]))
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      os: Names,
      cpu: Names,
      dev: z.optional(z.boolean()),
    }),
  ),
})

/** Packages for this processor that are not there: npm passes over an optional one that it cannot fetch, and says nothing of it. */
function lackingIn(folder: string, cpu: Cpu): string[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')))
  return Object.entries(packages).flatMap(([place, { os, cpu: processors, dev }]) => {
    const isWanted = !dev && os?.includes('linux') && processors?.includes(cpu)
    return isWanted && !existsSync(path.join(folder, place)) ? [place] : []
  })
}

/** Names only what is there: no tools, no tests, no other system. */
function writeManifest(root: string, folder: string, cpu: Cpu): void {
  const manifest = Manifest.parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')))
  const isHere = ([name]: [string, string]) => name.endsWith(`linux-${cpu}`) || !/-(?:x64|arm64)$/.test(name)
  const reduced = {
    ...manifest,
    imports: { '#contract/*': './contract/*', '#server/*': './server/*' },
    optionalDependencies: Object.fromEntries(Object.entries(manifest.optionalDependencies).filter(isHere)),
  }
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(reduced, null, 2)}\n`)
}

/** Takes away what no running server reads. Node loads no TypeScript from packages, so types and their sources can go. */
function slim(folder: string, cpu: Cpu): void {
  const packages = path.join(folder, 'node_modules')
  mkdirSync(path.join(folder, 'node'))
  const node = path.join(packages, `node-linux-${cpu}`)
  for (const part of ['bin', 'LICENSE']) renameSync(path.join(node, part), path.join(folder, 'node', part))
  for (const place of [node, path.join(packages, '.bin'), path.join(packages, '.package-lock.json')])
    rmSync(place, { recursive: true })
  const unread = /\.(?:map|[cm]?ts|flow|markdown)$|^(?:readme|changelog|history)[^/]*\.md$/i
  for (const entry of readdirSync(packages, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && unread.test(entry.name)) rmSync(path.join(entry.parentPath, entry.name))
}

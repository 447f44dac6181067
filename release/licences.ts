import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'

const Installed = z.object({ packages: z.record(z.string(), z.unknown()) })
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.optional(z.unknown()),
})
const Bundled = z.array(
  z.object({ name: z.string(), version: z.string(), identifier: z.string(), text: z.string() }),
)
export type Bundled = z.infer<typeof Bundled>

/** Packages that say MIT in their manifest and bring no text; the holders are those of their repositories. */
const holders: Record<string, string> = {
  '@redis/client': '2022-2023 Redis, inc.',
  '@tus/utils': '2015 tus - Resumable File Uploads',
  'abstract-logging': 'James Sumners',
  brotli: 'Devon Govett',
  dfa: 'Devon Govett',
  fontkit: 'Devon Govett',
  werift: 'shinyoshiaki',
  'werift-common': 'shinyoshiaki',
  'werift-dtls': 'shinyoshiaki',
  'werift-ice': 'shinyoshiaki',
  'werift-rtp': 'shinyoshiaki',
  'werift-sctp': 'shinyoshiaki',
  'woff2sfnt-sfnt2woff': '2014 Onur Demiralay',
}

/** Packages whose text is MIT, and whose manifest has no word for it. */
const unnamed = new Set(['@shinyoshiaki/jspack', 'png-js'])

/** What the web app is made of, as its build wrote it down; fonts are not among it, for they are fetched and not run. */
export function readBundled(root: string): Bundled {
  const found = Bundled.parse(
    JSON.parse(readFileSync(path.join(root, 'dist/web/.vite/license.json'), 'utf8')),
  )
  return [...found, ...fontsOf(root)]
}

function fontsOf(root: string): Bundled {
  return ['@fontsource', '@fontsource-variable'].flatMap((scope) =>
    readdirSync(path.join(root, 'node_modules', scope)).map((name) => {
      const folder = path.join(root, 'node_modules', scope, name)
      const { name: title, version } = manifestOf(folder)
      return { name: title, version, identifier: 'OFL-1.1', text: textIn(folder) }
    }),
  )
}

/** Every package in the folder and every one inside the web app with its licence's text; throws for one that has none. */
export function listLicences(folder: string, bundled: Bundled): string {
  const lock = readFileSync(path.join(folder, 'node_modules/.package-lock.json'), 'utf8')
  const installed = Object.keys(Installed.parse(JSON.parse(lock)).packages).map((place) =>
    licenceIn(path.join(folder, place)),
  )
  const isKnown = new Set(installed.map(({ name, version }) => `${name} ${version}`))
  const all = [...installed, ...bundled.filter(({ name, version }) => !isKnown.has(`${name} ${version}`))]
  for (const one of all) if (one.text.trim() === '') one.text = textOfScope(one, all)
  const without = all.filter(({ identifier, text }) => identifier === '' || text.trim() === '')
  if (without.length > 0)
    throw new Error(
      `Without a licence that can be told: ${without.map(({ name }) => name).join(', ')}. ` +
        'Leave the package out, or name its holders in release/licences.ts.',
    )
  const parts = all
    .toSorted((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
    .map((one) => `${one.name} ${one.version}\n${one.identifier}\n\n${one.text.trim()}\n`)
  return [head, ...parts].join(`\n${'='.repeat(80)}\n`)
}

/** Packages of one scope come from one repository, and some of them leave out the text of its licence, which others bring. */
function textOfScope({ name, identifier }: Bundled[number], all: Bundled): string {
  const scope = /^@[^/]+\//.exec(name)?.[0]
  const other = all.find(
    (one) =>
      scope !== undefined && one.name.startsWith(scope) && one.identifier === identifier && one.text !== '',
  )
  return other?.text ?? ''
}

const head = `The parts of Sendreel that others have made, and their licences.
Sendreel itself: see LICENSE. What is served with the web app, and fonts in documents: see also THIRD_PARTY.md.
`

function licenceIn(folder: string): Bundled[number] {
  const { name, version } = manifestOf(folder)
  if (name.startsWith('@seydx/node-av-'))
    return { name, version, identifier: 'GPL-3.0-or-later', text: converter() }
  const { license } = Manifest.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')))
  const identifier = typeof license === 'string' ? license : unnamed.has(name) ? 'MIT' : ''
  const holder = identifier === 'MIT' ? holders[name] : undefined
  return { name, version, identifier, text: textIn(folder) || (holder ? mit(holder) : '') }
}

function manifestOf(folder: string): { name: string; version: string } {
  const { name, version } = Manifest.parse(
    JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')),
  )
  return { name, version }
}

/** What lies there under a name that promises it, or else the end of the description, where that is the whole text. */
function textIn(folder: string): string {
  const names = readdirSync(folder).toSorted()
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  const named = names.filter((name) => /^(?:.*-)?(?:un)?licen[cs]e|^copying|^notice/i.test(name))
  if (named.length > 0) return named.map(read).join('\n')
  const described = names.filter((name) => /^readme/i.test(name)).map(read)[0] ?? ''
  const [, text = ''] = /\n#+ *(?:the )?(?:mit )?licen[cs]e[^\n]*\n([^]*)$/i.exec(described) ?? []
  return /Permission is hereby granted/.test(text) ? text : ''
}

const converter = (): string =>
  `The file node-av.node holds the libraries of FFmpeg with x264 and others, and is as a whole under the GPL, version 3 or later.
Its sources: https://github.com/seydx/node-av (the tag of this version names those of FFmpeg,
https://github.com/jellyfin/jellyfin-ffmpeg). It is called by a process of its own; without it, an ffmpeg of the machine does its work.

${readFileSync(path.join(import.meta.dirname, 'texts/GPL-3.0.txt'), 'utf8')}`

const mit = (holder: string): string => `Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

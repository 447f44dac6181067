import type { CaptionFormat } from '#contract/videos/captions.ts'
import type { Chance } from '../viewing/viewers.ts'

/** Milliseconds and plain words. */
type Said = { startMs: number; endMs: number; words: string }
type OddFile = { name: string; format: CaptionFormat; bytes: Buffer; said: Said[] }

const words = [
  'Lock',
  'out',
  'Größe',
  'façade',
  '5 < 6',
  'AT&T',
  'ключ',
  '安全',
  '“quoted”',
  'Ω',
  'e\u0301',
  '\u{1F525}',
]
const plain = ['Lock', 'out', 'Gr\u00F6\u00DFe', 'fa\u00E7ade', '5 < 6', 'AT&T', 'caf\u00E9', '\u00A320']

/** A file as programs write them, and what it says; the same for the same chance. */
export function oddFile({ next, pick }: Chance, index: number): OddFile {
  const format = pick(['vtt', 'srt'] as const)
  const encoding = pick(['utf8', 'utf8-bom', 'utf16le', 'utf16be', 'windows-1252'] as const)
  const newline = pick(['\n', '\r\n', '\r'])
  const hours = pick([0, 0, 1, 23, 30, 101])
  const count = index === 0 ? 10_000 : 1 + Math.floor(next() * 40)
  const from = encoding === 'windows-1252' ? plain : words
  const said: Said[] = Array.from({ length: count }, (_nothing, n) => {
    const startMs = hours * 3_600_000 + n * 4_001 + Math.floor(next() * 4_000)
    const endMs = startMs + 1 + Math.floor(next() * 6_000)
    return { startMs, endMs, words: `${pick(from)} ${pick(from)} ${n}` }
  })
  const order = next() < 0.3 ? said.toReversed() : said
  const blocks = order.map((one, n) => (format === 'vtt' ? vttBlock(one, pick) : srtBlock(one, n, pick)))
  const head =
    format === 'vtt'
      ? `WEBVTT${pick(['', ' - made by hand', '\tX'])}\n\n${pick(['', extras])}`
      : pick(['', '\n\n'])
  const text = `${head}${blocks.join(pick(['\n\n', '\n\n\n', '\n \n']))}${pick(['', '\n', '\n\n\n'])}`
  const bytes = encoded(text.replaceAll('\n', newline), encoding)
  return {
    name: `${index}-${encoding}.${format}`,
    format,
    bytes,
    said: said.toSorted((a, b) => a.startMs - b.startMs),
  }
}

const extras =
  'STYLE\n::cue(.loud) { color: yellow }\n\nREGION\nid:below\nwidth:40%\nlines:3\n\nNOTE\nNobody is shown this.\n\n'

type Pick = Chance['pick']

function clock(ms: number, mark: string, isShort = false): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(ms / 3_600_000)
  const rest = `${two(Math.floor(ms / 60_000) % 60)}:${two(Math.floor(ms / 1_000) % 60)}${mark}${String(ms % 1_000).padStart(3, '0')}`
  return isShort && hours === 0 ? rest : `${two(hours)}:${rest}`
}

function vttBlock({ startMs, endMs, words: text }: Said, pick: Pick): string {
  const isShort = pick([true, false])
  const mark = pick(['.', '.', ','])
  const times = `${clock(startMs, mark, isShort)} --> ${clock(endMs, mark)}`
  const settings = pick([
    '',
    '',
    ' align:start position:10%',
    ' line:0 region:below',
    ' line:85%,end size:50%',
  ])
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const shown = pick([escaped, `<v.loud Ada>${escaped}`, `<i>${escaped}</i>`, `<c.loud>${escaped}</c>`, text])
  return `${pick(['', 'a name\n', '17\n'])}${times}${settings}\n${shown}`
}

function srtBlock({ startMs, endMs, words: text }: Said, n: number, pick: Pick): string {
  const mark = pick([',', ',', '.'])
  const times = `${clock(startMs, mark)} ${pick(['-->', '--> '])}${pick([' ', ''])}${clock(endMs, mark)}${pick(['', '  X1:10 X2:90 Y1:5 Y2:9', ' '])}`
  const shown = pick([text, `<i>${text}</i>`, `<font color="#fff">${text}</font>`, `{\\an8}${text}`])
  return `${pick([`${n + 1}\n`, `${n + 1}\n`, ''])}${times}\n${shown}`
}

type Encoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'windows-1252'

function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding === 'windows-1252') return Buffer.from(text, 'latin1')
  if (encoding === 'utf8') return Buffer.from(text)
  const marked = `\uFEFF${text}`
  if (encoding === 'utf8-bom') return Buffer.from(marked)
  const wide = Buffer.from(marked, 'utf16le')
  return encoding === 'utf16le' ? wide : wide.swap16()
}

/** What a player is given: the times to the millisecond, and the words without what they look like. */
export function saidIn(text: string): Said[] {
  const cue = /(\d+):(\d\d):(\d\d)[.,](\d{3}) --> (\d+):(\d\d):(\d\d)[.,](\d{3})[^\n]*\n([^]*?)(?:\n\n|\n?$)/g
  const ms = (parts: (string | undefined)[]) => {
    const [hours = 0, minutes = 0, seconds = 0, rest = 0] = parts.map(Number)
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + rest
  }
  return Array.from(text.matchAll(cue), (found) => ({
    startMs: ms(found.slice(1, 5)),
    endMs: ms(found.slice(5, 9)),
    words: (found[9] ?? '').trim(),
  }))
}

export const bare = (words: string): string =>
  words
    .replaceAll(/<v[^>]*>|<\/?(?:[biucv])(?:\.[^>]*)?>/g, '')
    .replace(/^Ada: /, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

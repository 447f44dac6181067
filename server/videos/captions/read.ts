import { setImmediate } from 'node:timers/promises'
import webvtt, { type ParsedCue, type TextNode } from 'webvtt-parser'
import { faultSentence, type CaptionFault } from '#contract/videos/caption-faults.ts'
import { latestCue, longestCue, mostCues, type CaptionFormat } from '#contract/videos/captions.ts'
import { bareSign } from '#contract/videos/cue-text.ts'
import type { EditedCue } from '#contract/videos/cues.ts'
import { isText, storable } from '#contract/platform/text/text.ts'
import { refuse } from '../../platform/errors.ts'
import { timestamp, type Cue } from './cues.ts'

/** What a file of captions says: cues in the order of their times, and the styles and regions before the first. */
export type CaptionText = { head: string; cues: Cue[] }

const longestHead = 20_000
/** So long at a time one file is read. */
const turnMs = 10

/** `line` counts from 0 here. */
function refused(fault: CaptionFault, line: number) {
  const file = { fault, line: line + 1, detail: faultSentence(fault, line + 1) }
  return refuse('validation_failed', { file })
}

/** By its mark, else as UTF-8, else as what Windows wrote before. Half a sign is no reason to lose the rest. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/**
 * Reads a VTT or an SRT. What browsers would pass over without a word (times that cannot be read, a caption that ends before it begins) is
 * refused with its line; what stands in another order is put in order. Others are served meanwhile.
 */
export async function readCaptionFile(bytes: Uint8Array, format: CaptionFormat): Promise<CaptionText> {
  const lines = decoded(bytes).split(/\r\n|\r|\n/)
  const odd = lines.findIndex((line) => !isText(line))
  if (odd >= 0) throw refused('not_text', odd)
  const isVtt = format === 'vtt'
  if (isVtt && !/^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? '')) throw refused('no_signature', 0)
  const reading: Reading = { isVtt, head: [], regions: new Set(), cues: [] }
  await inTurns(blocksOf(lines, isVtt ? 1 : 0), (block) => readBlock(reading, block))
  if (reading.cues.length === 0)
    throw refused(
      'no_cues',
      Math.max(
        0,
        lines.findLastIndex((line) => line !== ''),
      ),
    )
  const head = storable(reading.head.join('\n\n'))
  return { head, cues: reading.cues.toSorted((a, b) => a.startMs - b.startMs) }
}

/**
 * What somebody has typed, put right as the same in a file is: what VTT does not know is text, and what has none is left out. Refused
 * where it ends before it has begun, and where two have one name.
 */
export async function readTyped(typed: readonly EditedCue[]): Promise<Cue[]> {
  const cues: Cue[] = []
  const keys = new Set<string>()
  await inTurns(typed.entries(), ([at, { key, id, startMs, endMs, settings, text }]) => {
    if (endMs <= startMs) throw invalid(`cues.${at}.endMs`)
    if (keys.has(key)) throw invalid(`cues.${at}.key`)
    if (hasTimes(id)) throw invalid(`cues.${at}.id`)
    keys.add(key)
    const shown = textOf(
      text
        .replaceAll(/\r\n?/g, '\n')
        .replaceAll(/\n\s*\n/g, '\n')
        .trim(),
      { startMs, endMs },
    )
    if (shown === '') return
    const place = settings === '' ? '' : typedPlace(settings, `cues.${at}.settings`)
    cues.push({ key, id: storable(id), startMs, endMs, settings: place, text: shown })
  })
  return cues.toSorted((a, b) => a.startMs - b.startMs)
}

const invalid = (field: string) => refuse('validation_failed', { fields: { [field]: ['invalid'] } })

function typedPlace(settings: string, field: string): string {
  if (hasTimes(settings)) throw invalid(field)
  const [, region] = /(?:^|\s)region:(\S+)/.exec(settings) ?? []
  const known = timesOf(`00:00.000 --> 00:01.000 ${settings}`, 0).settings
  return storable(`${known}${region === undefined ? '' : ` region:${region}`}`.trim())
}

/** So that others are served meanwhile. */
async function inTurns<T>(all: Iterable<T>, read: (one: T) => void): Promise<void> {
  let since = performance.now()
  for (const one of all) {
    read(one)
    if (performance.now() - since < turnMs) continue
    await setImmediate()
    since = performance.now()
  }
}

type Block = { at: number; lines: readonly string[] }
type Reading = { isVtt: boolean; head: string[]; regions: Set<string>; cues: Cue[] }

const arrow = '-->'
const hasTimes = (line: string | undefined) => line?.includes(arrow) ?? false

/** Lines between empty ones; where the empty line before a cue is missing, it is thought of. */
function* blocksOf(lines: readonly string[], from: number): Generator<Block> {
  let at = from
  while (at < lines.length) {
    if (lines[at]?.trim() === '') {
      at += 1
      continue
    }
    let end = at + 1
    let isTimed = hasTimes(lines[at])
    for (; end < lines.length && lines[end]?.trim() !== ''; end += 1) {
      const isNext =
        hasTimes(lines[end]) || (hasTimes(lines[end + 1]) && /^\d+$/.test(lines[end]?.trim() ?? ''))
      if (isTimed && isNext) break
      isTimed ||= hasTimes(lines[end])
    }
    yield { at, lines: lines.slice(at, end) }
    at = end
  }
}

function readBlock(reading: Reading, block: Block): void {
  const [first = ''] = block.lines
  const times = block.lines.findIndex(hasTimes)
  if (times >= 0) return readCue(reading, block, times)
  if (!reading.isVtt) throw refused('no_times', block.at)
  // Of its own first block a VTT says what others may read, and nobody does.
  if (/^NOTE(?:[ \t]|$)/.test(first) || block.at === 1) return undefined
  if (!/^(?:STYLE|REGION)[ \t]*$/.test(first)) throw refused('no_times', block.at)
  // As in browsers, they hold before the first cue alone.
  if (reading.cues.length === 0) readHead(reading, block)
  return undefined
}

function readHead({ head, regions }: Reading, { at, lines }: Block): void {
  const [first = '', ...rest] = lines
  const unsafe = lines.findIndex((line) => /url\s*\(|@import|[<\\]|image-set/i.test(line))
  if (unsafe >= 0) throw refused('unsafe_style', at + unsafe)
  head.push([first.trim(), ...rest].join('\n'))
  if (head.join().length > longestHead) throw refused('too_much_head', at)
  const [, name] = /\bid:(\S+)/.exec(rest.join(' ')) ?? []
  if (first.startsWith('REGION') && name !== undefined) regions.add(name)
}

function readCue({ isVtt, regions, cues }: Reading, { at, lines }: Block, times: number): void {
  // Above its times a cue has its name and nothing else.
  if (times > 1) throw refused('no_times', at)
  const id = isVtt && times === 1 ? storable(lines[0] ?? '') : ''
  const { start, settings } = timesOf(lines[times] ?? '', at + times)
  const own = lines
    .slice(times + 1)
    .join('\n')
    .trim()
  if (own.length > longestCue || id.length > longestCue) throw refused('too_long', at + times)
  const place = isVtt ? settings : placeOf(own)
  const text = textOf(isVtt ? own : own.replaceAll(/\{\\[^}]*\}/g, ''), start)
  // Nothing is shown of it.
  if (text === '') return
  if (cues.length === mostCues) throw refused('too_many', at + times)
  const region = isVtt ? (/(?:^|\s)region:(\S+)/.exec(lines[times] ?? '')?.[1] ?? '') : ''
  const inRegion = regions.has(region) ? ` region:${region}` : ''
  cues.push({ id, ...start, settings: storable(`${place}${inRegion}`.trim()), text })
}

/** Some programs write the place into the text of an SRT; 7 to 9 is the top of the picture. */
const placeOf = (text: string) => (/\{\\an[789]\}/.test(text) ? 'line:0' : '')

const unset = {
  direction: 'horizontal',
  snapToLines: true,
  linePosition: 'auto',
  lineAlign: 'start',
  textPosition: 'auto',
  positionAlign: 'auto',
  size: 100,
  alignment: 'center',
} as const

type Times = { startMs: number; endMs: number }

/** SRT has a comma before the milliseconds, and so have many VTTs. */
function timesOf(line: string, at: number): { start: Times; settings: string } {
  const cue: ParsedCue = { ...unset, startTime: 0, endTime: 0 }
  const written = line
    .trim()
    .replaceAll(/(:\d\d),(\d{3})(?!\d)/g, '$1.$2')
    .replace(/\s*-->\s*/, ' --> ')
  const known = written.replaceAll(/\s(?:region:|[XY][12]:)\S*/g, '')
  const parser = new webvtt.WebVTTCueTimingsAndSettingsParser(known, ignore)
  if (!parser.parse(cue, 0)) throw refused('bad_times', at)
  const start = { startMs: Math.round(cue.startTime * 1_000), endMs: Math.round(cue.endTime * 1_000) }
  if (start.endMs > latestCue) throw refused('too_late', at)
  if (start.endMs <= start.startMs) throw refused('ends_before', at)
  return { start, settings: settingsOf(cue) }
}

function settingsOf(cue: ParsedCue): string {
  const { linePosition, lineAlign, textPosition, positionAlign } = cue
  const line = `line:${linePosition}${cue.snapToLines ? '' : '%'}${lineAlign === 'start' ? '' : `,${lineAlign}`}`
  const position = `position:${textPosition}%${positionAlign === 'auto' ? '' : `,${positionAlign}`}`
  return [
    ...(cue.direction === 'horizontal' ? [] : [`vertical:${cue.direction}`]),
    ...(linePosition === 'auto' ? [] : [line]),
    ...(textPosition === 'auto' ? [] : [position]),
    ...(cue.size === 100 ? [] : [`size:${cue.size}%`]),
    ...(cue.alignment === 'center' ? [] : [`align:${cue.alignment}`]),
  ].join(' ')
}

const entities = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&nbsp;': '\u00A0',
  '&lrm;': '\u200E',
  '&rlm;': '\u200F',
}

/** As VTT has it and nothing beyond: its tree, written anew. */
function textOf(text: string, { startMs, endMs }: Times): string {
  if (!/[<&]/.test(text)) return storable(escaped(text))
  const guarded = text.replaceAll(bareSign, '&lt;').replaceAll(/<br\s*\/?>/gi, '\n')
  const parser = new webvtt.WebVTTCueTextParser(guarded, ignore, 'subtitles', entities)
  const { children } = parser.parse(startMs / 1_000, endMs / 1_000)
  return storable(
    children
      .map(written)
      .join('')
      .replaceAll(/\n{2,}/g, '\n')
      .trim(),
  )
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function written(node: TextNode): string {
  if (node.type === 'text') return escaped(node.value)
  if (node.type === 'timestamp') return `<${timestamp(Math.round(node.value * 1_000), '.')}>`
  const classes = node.classes.filter((name) => /^[\w-]+$/.test(name)).map((name) => `.${name}`)
  const about = node.value ? ` ${escaped(node.value)}` : ''
  return `<${node.name}${classes.join('')}${about}>${node.children.map(written).join('')}</${node.name}>`
}

function ignore(): void {
  // What the parser takes all the same is taken; what it does not is refused by its line.
}

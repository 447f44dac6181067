import * as z from 'zod/mini'

/** Milliseconds. `text` and `settings` as a VTT has them. */
export const Cue = z.object({
  /** Its name in the editor; what came by a file has none before it is edited. */
  key: z.optional(z.string()),
  id: z.string(),
  startMs: z.number(),
  endMs: z.number(),
  settings: z.string(),
  text: z.string(),
})
export type Cue = z.infer<typeof Cue>

const two = (value: number) => String(value).padStart(2, '0')

/** Hours always, so that no reader has to guess. */
export function timestamp(ms: number, mark: '.' | ','): string {
  const seconds = Math.floor(ms / 1_000)
  const clock = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':')
  return `${clock}${mark}${String(ms % 1_000).padStart(3, '0')}`
}

/**
 * A VTT. Media time 0 is the first picture, so the time of a cue is that of the media; the mark says so to players of HLS, and everybody
 * else passes over it.
 */
export function asVtt({ head, cues }: { head: string; cues: readonly Cue[] }): string {
  const blocks = cues.map(({ id, startMs, endMs, settings, text }) => {
    const times = `${timestamp(startMs, '.')} --> ${timestamp(endMs, '.')}`
    return `${id === '' ? '' : `${id}\n`}${times}${settings === '' ? '' : ` ${settings}`}\n${text}\n`
  })
  const begin = 'WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n'
  return [begin, ...(head === '' ? [] : [`${head}\n`]), ...blocks].join('\n')
}

/** An SRT knows bold, italics and underlines, and no styles, regions or places. */
export function asSrt({ cues }: { cues: readonly Cue[] }): string {
  const blocks = cues.map(
    ({ startMs, endMs, text }, index) =>
      `${index + 1}\n${timestamp(startMs, ',')} --> ${timestamp(endMs, ',')}\n${plainer(text)}\n`,
  )
  return blocks.join('\n')
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' }

function plainer(text: string): string {
  return text
    .replaceAll(/<v[^>]*?\s([^>]*)>/g, '$1: ')
    .replaceAll(/<(?!\/?[biu](?:\.[^>]*)?>)[^>]*>/g, '')
    .replaceAll(/<([biu])\.[^>]*>/g, '<$1>')
    .replaceAll(/&(lt|gt|amp);/g, (_all, name: string) => named[name] ?? '')
}

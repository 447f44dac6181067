import { useEffect, useState } from 'react'

/** A picture of the storyboard: a piece of a sheet, for [startMs, endMs). */
export type Tile = {
  startMs: number
  endMs: number
  src: string
  x: number
  y: number
  width: number
  height: number
}

const time = /(?:(\d+):)?(\d+):(\d+)\.(\d{3})/g
const piece = /^(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/m

/** Reads a WebVTT of pictures; `base` is its own absolute address. */
export function parseStoryboard(text: string, base: string): Tile[] {
  return text.split(/\r?\n\r?\n/).flatMap((cue) => {
    const [start, end] = [...cue.matchAll(time)].map(
      ([, hours = '0', minutes, seconds, ms]) =>
        ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(ms),
    )
    const [, file, x, y, width, height] = piece.exec(cue) ?? []
    if (start === undefined || end === undefined || file === undefined) return []
    const place = { x: Number(x), y: Number(y), width: Number(width), height: Number(height) }
    return [{ startMs: start, endMs: end, src: new URL(file, base).href, ...place }]
  })
}

/** The tile that shows this moment. */
export function tileAt(tiles: readonly Tile[], ms: number): Tile | undefined {
  return tiles.findLast(({ startMs }) => startMs <= ms) ?? tiles[0]
}

/** The pictures of a video; none while they are fetched, and none where they cannot be had: the plot stands without them. */
export function useStoryboard(address: string | null): readonly Tile[] {
  const [board, setBoard] = useState<{ address: string; tiles: readonly Tile[] }>()
  useEffect(() => {
    if (address === null) return undefined
    const leaving = new AbortController()
    void read(address, leaving.signal).then((tiles) => setBoard({ address, tiles }), ignore)
    return () => leaving.abort()
  }, [address])
  return board && board.address === address ? board.tiles : none
}

const none: readonly Tile[] = []

async function read(address: string, signal: AbortSignal): Promise<Tile[]> {
  const url = new URL(address, location.href).href
  const reply = await fetch(url, { signal })
  return reply.ok ? parseStoryboard(await reply.text(), url) : []
}

function ignore(): void {
  // See above.
}

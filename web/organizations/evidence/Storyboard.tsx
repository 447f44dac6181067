import { useQuery } from '@tanstack/react-query'
import type { CSSProperties } from 'react'

export type Tile = { startMs: number; endMs: number; style: CSSProperties }

const cue = /(\d+):(\d+):([\d.]+) --> (\d+):(\d+):([\d.]+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/g

/** The pictures of a storyboard (WebVTT with #xywh), each cut out of its sheet by its style. */
function tilesIn(text: string, address: string): Tile[] {
  const cues = [...text.matchAll(cue)].map((match) => {
    const [hours = 0, minutes = 0, seconds = 0, endHours = 0, endMinutes = 0, endSeconds = 0] = match
      .slice(1, 7)
      .map(Number)
    const [x = 0, y = 0, width = 1, height = 1] = match.slice(8, 12).map(Number)
    const at = (h: number, m: number, s: number) => ((h * 60 + m) * 60 + s) * 1_000
    const startMs = at(hours, minutes, seconds)
    const endMs = at(endHours, endMinutes, endSeconds)
    return {
      startMs,
      endMs,
      sheet: match[7] ?? '',
      column: x / width,
      row: y / height,
      ratio: width / height,
    }
  })
  const columns = Math.max(...cues.map(({ column }) => column)) + 1
  const rows = Math.max(...cues.map(({ row }) => row)) + 1
  const share = (n: number, of: number) => `${of < 2 ? 0 : (n / (of - 1)) * 100}%`
  return cues.map(({ startMs, endMs, sheet, column, row, ratio }) => ({
    startMs,
    endMs,
    style: {
      aspectRatio: ratio,
      backgroundImage: `url("${new URL(sheet, address).pathname}")`,
      backgroundSize: `${columns * 100}% ${rows * 100}%`,
      backgroundPosition: `${share(column, columns)} ${share(row, rows)}`,
    },
  }))
}

/** The pictures behind a signed address; none while they are fetched, and without an address. */
export function useTiles(address: string | null): readonly Tile[] {
  const { data } = useQuery({
    queryKey: ['storyboard', address],
    queryFn: async ({ signal }) => {
      const url = new URL(address ?? '', location.href).href
      const answer = await fetch(url, { signal })
      return answer.ok ? tilesIn(await answer.text(), url) : []
    },
    enabled: address !== null,
    staleTime: Infinity,
  })
  return data ?? []
}

export const tileAt = (tiles: readonly Tile[], ms: number): Tile | undefined =>
  tiles.find(({ startMs, endMs }) => startMs <= ms && ms < endMs) ?? tiles.at(-1)

/** Pictures side by side over the whole length. */
export function Strip({ tiles, durationMs }: { tiles: readonly Tile[]; durationMs: number }) {
  const count = 10
  return (
    <div className="evidence-strip" aria-hidden>
      {Array.from({ length: count }, (_nothing, n) => {
        const at = ((n + 0.5) / count) * durationMs
        return <span key={at} className="evidence-tile" style={tileAt(tiles, at)?.style} />
      })}
    </div>
  )
}

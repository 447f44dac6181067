import { useQuery } from '@tanstack/react-query'
import type { Playback } from '#contract/videos.ts'
import { middles, readStoryboard, tileAt, type Tile } from './timeline.ts'

/** Where the pictures lie is signed anew with each reading of the video; what they show stays. */
async function fetchTiles(address: string, signal: AbortSignal): Promise<Tile[]> {
  const answer = await fetch(address, { signal })
  if (!answer.ok) throw new Error(`The storyboard answered ${answer.status}`)
  return readStoryboard(await answer.text(), address)
}

type Props = { playback: Playback; durationMs: number; width: number; height: number }

/** Pictures of the video over its time line; nothing where it has none. */
export function Filmstrip({ playback, durationMs, width, height }: Props) {
  const address = playback.storyboard === null ? null : new URL(playback.storyboard, location.href).href
  const { data } = useQuery({
    queryKey: ['storyboard', address],
    queryFn: ({ signal }) => fetchTiles(address ?? '', signal),
    enabled: address !== null,
    staleTime: Infinity,
  })
  const first = data?.[0]
  if (!data || !first || width === 0) return null
  const usual = (height * first.width) / first.height
  const count = Math.max(1, Math.round(width / usual))
  return (
    <div className="quiz-film" aria-hidden>
      {middles(durationMs, count).map((ms) => (
        <Picture key={ms} tile={tileAt(data, ms) ?? first} width={width / count} height={height} />
      ))}
    </div>
  )
}

type PictureProps = { tile: Tile; width: number; height: number }

/** A part of a sheet, scaled so that it fills its place. */
function Picture({ tile, width, height }: PictureProps) {
  const scale = Math.max(width / tile.width, height / tile.height)
  return (
    <span style={{ width, height }}>
      <img
        src={tile.sheet}
        alt=""
        style={{
          transform: `scale(${scale}) translate(${-tile.x}px, ${-tile.y}px)`,
          clipPath: 'none',
        }}
      />
    </span>
  )
}

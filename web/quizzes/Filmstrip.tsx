import type { Playback } from '#contract/videos/videos.ts'
import { tileAt, useStoryboard, type Tile } from '#web/ui/plot/storyboard.ts'
import { middles } from './timeline.ts'
import classes from './Timeline.module.css'

type Props = { playback: Playback; durationMs: number; width: number; height: number }

/** Pictures of the video over its time line; nothing where it has none. */
export function Filmstrip({ playback, durationMs, width, height }: Props) {
  const tiles = useStoryboard(playback.storyboard)
  const first = tiles[0]
  if (!first || width === 0) return null
  const usual = (height * first.width) / first.height
  const count = Math.max(1, Math.round(width / usual))
  return (
    <div className={classes.film} aria-hidden>
      {middles(durationMs, count).map((ms) => (
        <Picture key={ms} tile={tileAt(tiles, ms) ?? first} width={width / count} height={height} />
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
        src={tile.src}
        alt=""
        style={{
          transform: `scale(${scale}) translate(${-tile.x}px, ${-tile.y}px)`,
          clipPath: 'none',
        }}
      />
    </span>
  )
}

import { tileAt, type Tile } from './storyboard.ts'
import classes from './plot.module.css'

/** One picture, as wide as is asked. */
export function Thumb({ tile, width }: { tile: Tile; width: number }) {
  const scale = width / tile.width
  return (
    <span className={classes.thumb} style={{ width, height: Math.round(tile.height * scale) }} aria-hidden>
      <span
        style={{
          width: tile.width,
          height: tile.height,
          transform: `scale(${scale})`,
          backgroundImage: `url("${tile.src}")`,
          backgroundPosition: `-${tile.x}px -${tile.y}px`,
        }}
      />
    </span>
  )
}

type Props = { tiles: readonly Tile[]; durationMs: number; width: number }

/** As many pictures as have room, each below the moment that it shows. */
export function Thumbs({ tiles, durationMs, width }: Props) {
  if (tiles.length === 0) return null
  const count = Math.max(3, Math.round(width / 96))
  return (
    <div className={classes.thumbs}>
      {Array.from({ length: count }, (_, index) => {
        const tile = tileAt(tiles, ((index + 0.5) / count) * durationMs)
        return tile && <Thumb key={`${index}-${tile.startMs}`} tile={tile} width={width / count} />
      })}
    </div>
  )
}

import type { CSSProperties } from 'react'
import { tileAt, type Tile } from '#web/ui/plot/storyboard.ts'
import classes from './TimeLine.module.css'

/** Cuts the picture of a moment out of its sheet, at whatever size its place has. */
export function pictureAt(tiles: readonly Tile[], ms: number): CSSProperties | undefined {
  const tile = tileAt(tiles, ms)
  if (!tile) return undefined
  const { src, x, y, width, height } = tile
  const columns = Math.max(...tiles.map((one) => one.x / one.width)) + 1
  const rows = Math.max(...tiles.map((one) => one.y / one.height)) + 1
  const share = (n: number, of: number) => `${of < 2 ? 0 : (n / (of - 1)) * 100}%`
  return {
    aspectRatio: width / height,
    backgroundImage: `url("${src}")`,
    backgroundSize: `${columns * 100}% ${rows * 100}%`,
    backgroundPosition: `${share(x / width, columns)} ${share(y / height, rows)}`,
  }
}

/** Pictures side by side over the whole length. */
export function Strip({ tiles, durationMs }: { tiles: readonly Tile[]; durationMs: number }) {
  const count = 10
  return (
    <div className={classes.strip} aria-hidden>
      {Array.from({ length: count }, (_nothing, n) => {
        const at = ((n + 0.5) / count) * durationMs
        return <span key={at} className={classes.tile} style={pictureAt(tiles, at)} />
      })}
    </div>
  )
}

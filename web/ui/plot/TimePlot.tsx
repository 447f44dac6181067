import { formatClock } from '../format.ts'
import type { PlotTone } from '../look/tokens.ts'
import type { Panel } from './Drawing.tsx'
import { Frame } from './Frame.tsx'
import { ticksOf } from './shapes.ts'
import { tileAt, useStoryboard, type Tile } from './storyboard.ts'
import { useWalk } from './walk.ts'
import classes from './plot.module.css'

/** A stretch that is marked and named. */
export type Mark = { name: string; fromMs: number; toMs: number; tone: PlotTone }

type Props = {
  /** What the moments are moments of, for people who cannot see it. */
  name: string
  durationMs: number
  binMs: number
  panels: readonly Panel[]
  marks: readonly Mark[]
  /** Each begins with a line across the plots, and its title stands beside each of its moments; in the order of their times. */
  chapters: readonly { startMs: number; title: string }[]
  /** What is true of a bin, in words. */
  describe: (bin: number) => string
  /** Address of the WebVTT with the pictures. */
  storyboard: string | null
  /** Missing where there is nothing to play. */
  onPlay?: ((ms: number) => void) | undefined
  /** Where the player is. */
  playingMs: number | null
}

/** Plots over the time line of a video, over its pictures. A moment is chosen by pointer or by keyboard, and played. */
export function TimePlot(props: Props) {
  const { name, durationMs, binMs, panels, marks, chapters, describe, storyboard, onPlay, playingMs } = props
  const tiles = useStoryboard(storyboard)
  const inChapter = (bin: number) =>
    [chapters.findLast(({ startMs }) => startMs <= bin * binMs)?.title, describe(bin)]
      .filter(Boolean)
      .join(', ')
  const walk = useWalk({
    name,
    count: Math.max(1, Math.ceil(durationMs / binMs)),
    describe: (bin) => `${formatClock(bin * binMs)}: ${inChapter(bin)}`,
    onPick: onPlay && ((bin) => onPlay(bin * binMs)),
  })
  const { index: bin, isShown } = walk
  const momentMs = bin * binMs
  const percent = (ms: number) => Math.min(100, (ms / durationMs) * 100)
  const place = (ms: number) => `${percent(ms)}%`
  const play = onPlay && (() => onPlay(momentMs))
  const tile = tileAt(tiles, momentMs)
  return (
    <div className={classes.plot} dir="ltr">
      <Frame
        kind="time"
        panels={panels}
        walk={walk}
        cursor={percent(momentMs)}
        onPress={({ nativeEvent }) => {
          // A finger has to look first; the button below plays.
          if (!(nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch')) play?.()
        }}
      >
        {(width) => (
          <>
            {marks.map(({ name: title, fromMs, toMs, tone }) => (
              <span
                key={title}
                className={classes.mark}
                data-plot={tone}
                style={{ insetInlineStart: place(fromMs), width: place(toMs - fromMs) }}
              >
                <b>{title}</b>
              </span>
            ))}
            {chapters.map(({ startMs }) => (
              <span
                key={`chapter ${startMs}`}
                className={classes.chapter}
                style={{ insetInlineStart: place(startMs) }}
              />
            ))}
            {playingMs !== null && (
              <span className={classes.playing} style={{ insetInlineStart: place(playingMs) }} />
            )}
            <Thumbs tiles={tiles} durationMs={durationMs} width={width} />
            <div className={classes.times} aria-hidden>
              {ticksOf(durationMs, width).map((ms) => (
                <span key={ms} style={{ insetInlineStart: place(ms) }}>
                  {formatClock(ms)}
                </span>
              ))}
            </div>
          </>
        )}
      </Frame>
      <div className={classes.read} dir="auto">
        {tile && isShown && <Thumb tile={tile} width={80} />}
        <p aria-hidden>
          {isShown ? (
            <>
              <strong>{formatClock(momentMs)}</strong> {inChapter(bin)}
            </>
          ) : (
            'Point at a moment, or walk through the seconds with the arrow keys.'
          )}
        </p>
        {isShown && play && (
          <button type="button" className={classes.play} onClick={play}>
            Play from {formatClock(momentMs)}
          </button>
        )}
      </div>
    </div>
  )
}

/** One picture, as wide as is asked. */
function Thumb({ tile, width }: { tile: Tile; width: number }) {
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

type ThumbsProps = { tiles: readonly Tile[]; durationMs: number; width: number }

/** As many pictures as have room, each below the moment that it shows. */
function Thumbs({ tiles, durationMs, width }: ThumbsProps) {
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

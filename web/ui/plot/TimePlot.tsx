import './plot.css'
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { formatClock } from '../format.ts'
import { barsOf, stepArea, stepLine, ticksOf, type Box } from './shapes.ts'
import { tileAt, useStoryboard } from './storyboard.ts'
import { Thumb, Thumbs } from './Thumbs.tsx'

export type PlotTone = 'primary' | 'warning' | 'danger' | 'info' | 'neutral'
export type Layer = {
  name: string
  /** Told apart by their form as well as by their colour. */
  kind: 'area' | 'hatched' | 'dashed' | 'dotted' | 'bars'
  tone: PlotTone
  values: readonly number[]
}
export type Panel = {
  name: string
  /** Of the axis: its end, and what stands at its marks. */
  max: number
  marks: readonly { value: number; label: string }[]
  layers: readonly Layer[]
  height: number
}
/** A stretch that is marked and named. */
export type Mark = { name: string; fromMs: number; toMs: number; tone: PlotTone }

type Props = {
  /** What the moments are moments of, for people who cannot see it. */
  name: string
  durationMs: number
  binMs: number
  panels: readonly Panel[]
  marks: readonly Mark[]
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
  const { name, durationMs, binMs, panels, marks, describe, storyboard, onPlay, playingMs } = props
  const { box, width } = useWidth()
  const count = Math.max(1, Math.ceil(durationMs / binMs))
  const [chosen, setChosen] = useState<number | null>(null)
  const tiles = useStoryboard(storyboard)
  const bin = Math.min(chosen ?? 0, count - 1)
  const momentMs = bin * binMs
  const place = (ms: number) => `${Math.min(100, (ms / durationMs) * 100)}%`
  const play = onPlay && (() => onPlay(momentMs))

  function point({ clientX, currentTarget }: PointerEvent<HTMLElement>): number {
    const { left, width: wide } = currentTarget.getBoundingClientRect()
    const found = Math.floor((((clientX - left) / wide) * durationMs) / binMs)
    return Math.max(0, Math.min(count - 1, found))
  }

  function press(event: KeyboardEvent): void {
    const next = stepTo(event.key, bin, count)
    if (next !== undefined) setChosen(next)
    else if (event.key !== 'Enter' && event.key !== ' ') return
    else play?.()
    event.preventDefault()
  }

  const tile = tileAt(tiles, momentMs)
  return (
    <div className="plot" dir="ltr">
      <div className="plot-field">
        <div className="plot-scales" aria-hidden>
          {panels.map(({ name: title, height, marks: ends, max }) => (
            <div key={title} style={{ height }}>
              {ends.map(({ value, label }) => (
                <span key={label} style={{ insetBlockEnd: `${(value / max) * 100}%` }}>
                  {label}
                </span>
              ))}
            </div>
          ))}
        </div>
        <div
          ref={box}
          className="plot-area"
          role="slider"
          tabIndex={0}
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={Math.floor(durationMs / 1_000)}
          aria-valuenow={Math.floor(momentMs / 1_000)}
          aria-valuetext={`${formatClock(momentMs)}: ${describe(bin)}`}
          onKeyDown={press}
          onFocus={() => setChosen((before) => before ?? 0)}
          onPointerMove={(event) => setChosen(point(event))}
          onPointerDown={(event) => setChosen(point(event))}
          onClick={(event) => {
            // A finger has to look first; the button below plays.
            if ((event.nativeEvent as globalThis.PointerEvent).pointerType !== 'touch') play?.()
          }}
        >
          {panels.map((panel) => (
            <Drawing key={panel.name} panel={panel} width={width} />
          ))}
          {marks.map(({ name: title, fromMs, toMs, tone }) => (
            <span
              key={title}
              className="plot-mark"
              data-plot={tone}
              style={{ insetInlineStart: place(fromMs), width: place(toMs - fromMs) }}
            >
              <b>{title}</b>
            </span>
          ))}
          {chosen !== null && <span className="plot-cursor" style={{ insetInlineStart: place(momentMs) }} />}
          {playingMs !== null && (
            <span className="plot-playing" style={{ insetInlineStart: place(playingMs) }} />
          )}
          <Thumbs tiles={tiles} durationMs={durationMs} width={width} />
          <div className="plot-times" aria-hidden>
            {ticksOf(durationMs, width).map((ms) => (
              <span key={ms} style={{ insetInlineStart: place(ms) }}>
                {formatClock(ms)}
              </span>
            ))}
          </div>
        </div>
      </div>
      <div className="plot-read" dir="auto">
        {tile && chosen !== null && <Thumb tile={tile} width={80} />}
        <p aria-hidden>
          {chosen === null ? (
            'Point at a moment, or walk through the seconds with the arrow keys.'
          ) : (
            <>
              <strong>{formatClock(momentMs)}</strong> {describe(bin)}
            </>
          )}
        </p>
        {chosen !== null && play && (
          <button type="button" className="plot-play" onClick={play}>
            Play from {formatClock(momentMs)}
          </button>
        )}
      </div>
    </div>
  )
}

export function stepTo(key: string, bin: number, count: number): number | undefined {
  const leaps: Record<string, number> = {
    ArrowRight: bin + 1,
    ArrowUp: bin + 1,
    ArrowLeft: bin - 1,
    ArrowDown: bin - 1,
    PageUp: bin + 10,
    PageDown: bin - 10,
    Home: 0,
    End: count - 1,
  }
  const next = leaps[key]
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next))
}

/** The width that the plot really has, so that lines and patterns are drawn as they are meant. */
export function useWidth() {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(800)
  useEffect(() => {
    const { current } = box
    if (!current) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width))
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return { box, width }
}

export function Drawing({ panel, width }: { panel: Panel; width: number }) {
  const { height, max, marks, layers } = panel
  const box: Box = { width, height, max }
  return (
    <svg
      className="plot-panel"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      style={{ height }}
      aria-hidden
    >
      {marks.map(({ value }) => {
        const y = Math.max(0.5, height - (value / max) * height - 0.5)
        return <line key={value} className="plot-grid" x1={0} x2={width} y1={y} y2={y} />
      })}
      {layers.map((layer) => (
        <Shape key={layer.name} layer={layer} box={box} />
      ))}
    </svg>
  )
}

function Shape({ layer: { kind, tone, values }, box }: { layer: Layer; box: Box }) {
  if (kind === 'bars')
    return (
      <g data-plot={tone} className="plot-bars">
        {barsOf(values, box).map(({ index, isCut, ...bar }) => (
          <rect key={index} data-cut={isCut || undefined} {...bar} />
        ))}
      </g>
    )
  return (
    <g data-plot={tone}>
      {kind === 'area' && <path className="plot-fill" d={stepArea(values, box)} />}
      {kind === 'hatched' && <Hatched d={stepArea(values, box)} tone={tone} />}
      <path className="plot-line" data-kind={kind} d={stepLine(values, box)} />
    </g>
  )
}

function Hatched({ d, tone }: { d: string; tone: PlotTone }) {
  const id = `plot-hatch-${tone}`
  return (
    <>
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line className="plot-hatch" x1="0" y1="0" x2="0" y2="6" />
      </pattern>
      <path d={d} fill={`url(#${id})`} />
    </>
  )
}

/** The same signs as in the plot, with their names. */
export function PlotLegend({ layers }: { layers: readonly Pick<Layer, 'name' | 'kind' | 'tone'>[] }) {
  return (
    <ul className="plot-legend" aria-label="Legend">
      {layers.map(({ name, kind, tone }) => (
        <li key={name}>
          <svg width="28" height="12" aria-hidden>
            <Shape
              layer={{ name, kind, tone, values: kind === 'bars' ? [2, 0, 3, 0, 1] : [2, 2] }}
              box={{ width: 28, height: 12, max: 3 }}
            />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  )
}

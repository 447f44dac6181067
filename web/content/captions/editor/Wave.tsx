import { useEffect, useRef } from 'react'
import { cueAt, type Cues } from './cues.ts'
import { momentOf, moveTo } from './playing.ts'
import { openSound, peaksPerSecond } from './sound.ts'
import classes from './Wave.module.css'

type Props = {
  /** The multivariant playlist that plays. */
  hls: string
  video: HTMLVideoElement | undefined
  cues: Cues
  durationMs: number
}

/** Milliseconds of the video that are in sight, the player in their middle. */
const sightMs = 12_000

/**
 * How loud it is around the moment at which the player stands, and which captions are shown there. A press goes to that moment. Whoever
 * does not see it has the same by the seek bar and the times in the list.
 */
export function Wave({ hls, video, cues, durationMs }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const latest = useRef(cues)
  const redraw = useRef<() => void>(undefined)
  useEffect(() => {
    latest.current = cues
    redraw.current?.()
  }, [cues])
  useEffect(() => {
    const { current } = canvas
    if (!current || !video) return undefined
    let frame = 0
    const soon = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(draw)
    }
    const sound = openSound(new URL(hls, location.href).href, soon)
    function draw(): void {
      if (!current || !video) return
      const nowMs = video.currentTime * 1_000
      const fromMs = nowMs - sightMs / 2
      const sight = { fromMs, toMs: fromMs + sightMs, nowMs }
      paint(current, sight, { cues: latest.current, parts: sound.between(fromMs, fromMs + sightMs) })
      if (!video.paused) soon()
    }
    redraw.current = soon
    const end = new AbortController()
    for (const type of ['timeupdate', 'seeking', 'seeked', 'play', 'loadedmetadata'])
      video.addEventListener(type, soon, { signal: end.signal })
    const observer = new ResizeObserver(soon)
    observer.observe(current)
    return () => {
      end.abort()
      observer.disconnect()
      cancelAnimationFrame(frame)
      sound.close()
      redraw.current = undefined
    }
  }, [hls, video])
  return (
    <canvas
      ref={canvas}
      className={classes.wave}
      aria-hidden
      onClick={({ nativeEvent: { offsetX }, currentTarget }) => {
        if (!video) return
        const ms = momentOf(video) + (offsetX / currentTarget.clientWidth - 0.5) * sightMs
        moveTo(video, Math.min(durationMs, Math.max(0, ms)))
      }}
    />
  )
}

type Sight = { fromMs: number; toMs: number; nowMs: number }
type Painted = { cues: Cues; parts: readonly { fromMs: number; peaks: Float32Array }[] }

/** In the colors of the page: the look of `canvas` has them. */
function paint(canvas: HTMLCanvasElement, { fromMs, toMs, nowMs }: Sight, { cues, parts }: Painted): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const { clientWidth: width, clientHeight: height } = canvas
  const scale = devicePixelRatio
  canvas.width = width * scale
  canvas.height = height * scale
  context.scale(scale, scale)
  const look = getComputedStyle(canvas)
  const at = (ms: number) => ((ms - fromMs) / (toMs - fromMs)) * width
  context.fillStyle = look.backgroundColor
  context.fillRect(0, 0, width, height)
  context.fillStyle = look.accentColor
  for (const cue of cues) {
    if (cue.endMs < fromMs) continue
    if (cue.startMs > toMs) break
    context.globalAlpha = cue === cueAt(cues, nowMs) ? 0.4 : 0.2
    context.fillRect(at(cue.startMs) + 0.5, 0, Math.max(1, at(cue.endMs) - at(cue.startMs) - 1), height)
  }
  context.globalAlpha = 1
  context.fillStyle = look.color
  const step = Math.max(1, (width * 1_000) / (toMs - fromMs) / peaksPerSecond)
  for (const part of parts)
    for (const [index, peak] of part.peaks.entries()) {
      const x = at(part.fromMs + (index * 1_000) / peaksPerSecond)
      if (x < -step || x > width) continue
      const tall = Math.max(1, peak * (height - 4))
      context.fillRect(x, (height - tall) / 2, Math.max(1, step - 0.5), tall)
    }
  context.fillStyle = look.caretColor
  context.fillRect(width / 2 - 1, 0, 2, height)
}

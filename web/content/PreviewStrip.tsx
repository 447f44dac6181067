import { useEffect, useRef, useState } from 'react'
import { startPreview } from '#contract/audience/audience.ts'
import type { Reply } from '#contract/endpoint.ts'
import { useChange } from '#web/api/query.ts'
import { countedOf, type Counted } from '#web/recorder/counted.ts'
import { Strip } from '#web/ui/figures/Strip.tsx'
import { formatClock, formatRuntime, formatReached } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'
import type { Span } from '#contract/tracking/tracks.ts'
import { flagsOf } from '#web/recorder/flags.ts'
import { createRecorder } from '#web/recorder/recorder.ts'
import { createWire, type Spool, type Wire } from '#web/recorder/wire.ts'

type Props = {
  videoId: string
  /** What plays, once it is there. */
  video: HTMLVideoElement | undefined
}
type Terms = Reply<typeof startPreview>

const lookMs = 500
const nothing: Counted = { ranges: [], countedMs: 0, fastMs: 0, hiddenMs: 0 }

/** What the recorder of the public page would have recorded of what is played here; live, and never counted. */
export function PreviewStrip({ videoId, video }: Props) {
  const { mutate, data: terms, isError } = useChange(startPreview)
  useEffect(() => mutate({ params: { videoId } }), [mutate, videoId])
  const counted = useCounted(video, terms)
  if (isError) return <p className={shapes.hint}>This preview cannot be recorded right now.</p>
  const { ranges, countedMs, fastMs, hiddenMs } = counted
  const durationMs = terms?.durationMs ?? null
  const share = durationMs === null ? 0 : Math.min(1, countedMs / durationMs)
  const refused = [
    fastMs > 0 && `${formatClock(fastMs)} too fast`,
    hiddenMs > 0 && `${formatClock(hiddenMs)} in a hidden window`,
  ].filter(Boolean)
  return (
    <section className={shapes.hint} aria-label="Your preview">
      <p>
        <strong>Your preview:</strong> what would be recorded; it is not counted.
      </p>
      <Strip watched={ranges} durationMs={durationMs} />
      <p>
        {durationMs === null
          ? 'Nothing played yet'
          : `${formatClock(countedMs)} of ${formatRuntime(durationMs)} would count, ${formatReached(share)}`}
        {refused.length > 0 && `; ${refused.join(' and ')} would not`}
        {terms && share >= terms.completes && '. That completes the video.'}
      </p>
    </section>
  )
}

/** A preview counts nowhere, so nothing of it has to outlive its page. */
const noSpool: Spool = { put: async () => undefined, remove: async () => undefined, all: async () => [] }

type Preview = {
  spans: () => readonly Span[]
  /** From here on it is reported, too; what was played before comes with the first report. */
  report: (playToken: string) => void
  stop: () => void
}

/** Records and reports what the element plays, as the page of the video does for its viewers. */
function recordPreview(video: HTMLVideoElement): Preview {
  const zero = performance.now()
  const now = () => performance.now() - zero
  const leaving = new AbortController()
  const until = { signal: leaving.signal }
  let wire: Wire | undefined
  const recorder = createRecorder({
    media: video,
    now,
    flags: () => flagsOf(video),
    onMoment: (moment) => (moment === 'resume' ? wire?.wake() : wire?.flush()),
  })
  const visible = () => !document.hidden
  const height = () => video.videoHeight
  for (const type of ['fullscreenchange', 'visibilitychange'])
    document.addEventListener(type, recorder.refresh, until)
  for (const type of ['enterpictureinpicture', 'leavepictureinpicture'])
    video.addEventListener(type, recorder.refresh, until)
  return {
    spans: recorder.spans,
    report(playToken) {
      wire = createWire({ playToken, recorder, spool: noSpool, now, visible, height })
      wire.flush()
    },
    stop() {
      leaving.abort()
      recorder.stop()
    },
  }
}

/** Records from the first frame on, whenever the terms arrive. */
function useCounted(video: HTMLVideoElement | undefined, terms: Terms | undefined): Counted {
  const recording = useRef<Preview>(null)
  const [counted, setCounted] = useState(nothing)
  useEffect(() => {
    if (!video) return undefined
    const started = recordPreview(video)
    recording.current = started
    return started.stop
  }, [video])
  useEffect(() => {
    const { current: preview } = recording
    if (!video || !preview || !terms) return undefined
    preview.report(terms.playToken)
    let known = ''
    const look = () => {
      const next = countedOf(preview.spans(), terms.maxRate)
      const text = JSON.stringify(next)
      if (text !== known) setCounted(next)
      known = text
    }
    const timer = setInterval(look, lookMs)
    return () => clearInterval(timer)
  }, [video, terms])
  return counted
}

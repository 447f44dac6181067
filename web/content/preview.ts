import type { Span } from '#contract/tracking/tracks.ts'
import { flagsOf } from '#web/recorder/flags.ts'
import { createRecorder } from '#web/recorder/recorder.ts'
import { createWire, type Spool, type Wire } from '#web/recorder/wire.ts'

/** A preview counts nowhere, so nothing of it has to outlive its page. */
const noSpool: Spool = { put: async () => undefined, remove: async () => undefined, all: async () => [] }

export type Preview = {
  spans: () => readonly Span[]
  /** From here on it is reported, too; what was played before comes with the first report. */
  report: (playToken: string) => void
  stop: () => void
}

/** Records and reports what the element plays, as the page of the video does for its viewers. */
export function recordPreview(video: HTMLVideoElement): Preview {
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

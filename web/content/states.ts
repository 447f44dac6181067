import { passingFailures, type Video, type VideoWarning } from '#contract/videos/videos.ts'
import { formatPosition, formatShare } from '#web/ui/format.ts'
import type { Tone } from '#web/ui/figures/StatusBadge.tsx'

export const stateLabels: Record<Video['state'], { word: string; tone: Tone; means: string }> = {
  uploading: { word: 'Uploading', tone: 'running', means: 'The file is on its way to the server.' },
  processing: {
    word: 'Preparing',
    tone: 'running',
    means: 'The video is made ready to play on every device.',
  },
  ready: { word: 'Ready', tone: 'success', means: 'The video can be watched and sent.' },
  failed: { word: 'Failed', tone: 'danger', means: 'The video could not be made ready.' },
  archived: { word: 'Archived', tone: 'neutral', means: 'The video is kept and not offered any more.' },
}

export const privacyLabels: Record<Video['privacy'], { word: string; means: string }> = {
  public: { word: 'Public', means: 'Everybody who knows the address may watch.' },
  link: { word: 'By link', means: 'Everybody who was sent a link may watch.' },
  organization: { word: 'Organization', means: 'Signed-in people of the organization may watch.' },
  private: { word: 'Private', means: 'Only administrators may watch.' },
}

/** Videos that change by themselves. */
export function isMoving({ state }: Video): boolean {
  return state === 'uploading' || state === 'processing'
}

/** Waits for its turn to be converted: nothing moves yet. */
export function isInLine({ conversion }: Video): boolean {
  return conversion !== null && conversion.place !== null
}

/** How far a video is that changes by itself: its place in line, or the share that is done. */
export function movementOf(video: Video): string {
  const { state, progress, conversion } = video
  if (state !== 'processing') return formatShare(progress)
  if (conversion === null) return 'Checking the file'
  const { place } = conversion
  if (place === null) return formatShare(progress)
  return place === 1 ? 'Next in line' : `Number ${place} in line`
}

/** Milliseconds until the page must look again; an upload may also lie unfinished for days. */
export function lookAgain(videos: readonly Video[]): number | false {
  if (videos.some(({ state }) => state === 'processing')) return 2_000
  return videos.some(isMoving) ? 10_000 : false
}

/** Whether another try may help. */
export function mayRetry({ state, failure }: Video): boolean {
  return state === 'failed' && failure !== null && passingFailures.includes(failure)
}

/** Whether what has arrived of a file that was cut off can be used, if its author says so. */
export function mayUseRest({ state, failure }: Video): boolean {
  return state === 'failed' && failure === 'cut_off'
}

/** What somebody should know who sends it. */
export function warningText({ code, startMs, endMs }: VideoWarning): string {
  if (code === 'no_sound') return 'The file has sound in a form that cannot be read, so this video is silent.'
  if (code === 'cut_off')
    return `The file ended at ${formatPosition(startMs)}. What came after it is missing.`
  return startMs === endMs
    ? `The file is damaged at ${formatPosition(startMs)}: the picture there may be wrong or missing.`
    : `The file is damaged from ${formatPosition(startMs)} to ${formatPosition(endMs)}: the picture there may be wrong or missing.`
}

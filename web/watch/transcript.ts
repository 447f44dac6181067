import { createTranscript } from '#web/player/transcript.ts'
import { tellOf } from './words.ts'

type TranscriptParts = {
  /** Makes way for what it opens. */
  button: HTMLElement
  video: HTMLVideoElement
  /** Plays from there, also where nothing was loaded yet. */
  playAt: (seconds: number) => void
}

/** The text of the video below it, from the captions that stand in the page. */
export function showTranscript({ button, video, playAt }: TranscriptParts): void {
  const tracks = [...video.querySelectorAll('track')]
    .filter(({ kind }) => kind !== 'descriptions')
    .map(({ kind, srclang, label, src }) => ({ kind, language: srclang, label, src }))
  const { panel, stop } = createTranscript({
    video,
    title: video.getAttribute('aria-label') ?? '',
    tracks,
    say: tellOf('transcript'),
    playAt,
    onClose() {
      panel.before(button)
      stop()
      button.focus()
    },
  })
  button.replaceWith(panel)
  panel.querySelector('h2')?.focus()
}

import type { WatchData } from '#contract/watch-page.ts'
import type { Controls } from '#web/player/controls.ts'
import { showChapters } from '#web/player/chapters.ts'
import { tellOf } from './words.ts'

type ChapterParts = {
  video: HTMLVideoElement
  /** Plays from there, also where nothing was loaded yet. */
  playAt: (seconds: number) => void
  /** Undefined where they fail to come, and the browser's own are there. */
  controls: Controls | undefined
}

/** The chapters of the page: in its player, and its list, whose links play from their moments and stay in the address. */
export function startChapters(
  { list }: NonNullable<WatchData['chapters']>,
  { video, playAt, controls }: ChapterParts,
): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('#chapters a')]
  const onChapter = (at: number | undefined) => {
    for (const [n, link] of links.entries())
      if (n === at) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
  }
  for (const [at, link] of links.entries())
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      history.replaceState(history.state, '', link.hash)
      playAt((list[at]?.startMs ?? 0) / 1_000)
      video.focus()
    })
  if (controls) showChapters(controls.parts, { video, say: tellOf('player'), chapters: list, onChapter })
}

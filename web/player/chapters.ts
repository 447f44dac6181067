import type { player } from '#contract/messages/en/player.ts'
import type { Tell } from '#contract/platform/text/say.ts'
import { named } from './chapters.module.css?adopted'
import type { ControlsParts } from './controls.ts'

/** It ends where the next one begins. */
type Chapter = { startMs: number; title: string }

type ChaptersOptions = {
  video: HTMLVideoElement
  say: Tell<typeof player>
  /** In the order of their times; one at least. */
  chapters: readonly Chapter[]
  /** Told whenever another chapter begins; undefined before the first. */
  onChapter?: (at: number | undefined) => void
}

/** Going back within so many milliseconds of a beginning leads to the chapter before it. */
const justBegunMs = 2_000

/**
 * Puts chapters into controls that are there: marks on the strip, a list that names the present one, the title beside each time, and the
 * keys N and P. Gives what takes all of it away.
 */
export function showChapters(parts: ControlsParts, options: ChaptersOptions): () => void {
  const { seek, time, pick, keys, goTo } = parts
  const { video, say, chapters, onChapter } = options
  const end = new AbortController()
  const indexAt = (ms: number) => chapters.findLastIndex(({ startMs }) => startMs <= ms)
  // Elements do not stop to the millisecond.
  const nowMs = () => Math.round(video.currentTime * 1_000) + 1
  const go = (at: number) => {
    const chapter = chapters[at]
    if (chapter) goTo(chapter.startMs / 1_000)
  }
  const list = pick(
    { text: say('chapters'), key: 'p n' },
    [['', say('chapters')], ...chapters.map(({ title }, at) => [String(at), title] as const)],
    (value) => value !== '' && go(Number(value)),
  )
  list.className = named('list')
  list.dir = 'auto'
  const place = document.createElement('div')
  place.className = named('place')
  time.replaceWith(place)
  place.append(time, list)
  const marks = chapters
    .filter(({ startMs }) => startMs > 0)
    .map(({ startMs }) => seek.mark(named('mark'), startMs))
  let shown = NaN
  const tell = () => {
    const at = indexAt(nowMs())
    if (at === shown) return
    shown = at
    list.value = at < 0 ? '' : String(at)
    onChapter?.(at < 0 ? undefined : at)
  }
  const back = () => {
    const at = indexAt(nowMs())
    const begun = nowMs() - (chapters[at]?.startMs ?? 0)
    go(Math.max(0, begun > justBegunMs ? at : at - 1))
  }
  keys.set('n', () => go(indexAt(nowMs()) + 1))
  keys.set('p', back)
  seek.nameMoments((ms) => chapters[indexAt(ms)]?.title ?? '')
  for (const type of ['timeupdate', 'seeking', 'emptied'])
    video.addEventListener(type, tell, { signal: end.signal })
  tell()
  return () => {
    end.abort()
    for (const key of ['n', 'p']) keys.delete(key)
    seek.nameMoments(() => '')
    for (const mark of marks) mark.remove()
    place.replaceWith(time)
  }
}

import { useEffect, useRef, useState } from 'react'
import { player as messages } from '#contract/messages/en/player.ts'
import type { Playback, VideoDetail } from '#contract/videos/videos.ts'
import { createControls, type Controls } from '#web/player/controls.ts'
import type { Engine } from '#web/player/engine.ts'
import { sayer } from './sayer.ts'
import { tileAt, useStoryboard } from '#web/ui/plot/storyboard.ts'
import classes from './Player.module.css'

type Played = Pick<VideoDetail, 'title' | 'durationMs' | 'width' | 'height' | 'chapters' | 'tracks'>

type Props = {
  video: Played
  playback: Playback
  /** Where to go and play; another object goes there again. */
  from?: { ms: number } | undefined
  onTime?: (ms: number) => void
  /** The element that plays, once it is there. */
  onVideo?: (video: HTMLVideoElement) => void
}

const say = sayer(messages)

/** The player of the video page, in the console. A chunk of its own. */
export function Player({ video, playback, from, onTime, onVideo }: Props) {
  const { title, width, height, chapters } = video
  // Another list of the same is no reason to load the video again.
  const tracks = useKept(video.tracks)
  const durationMs = Math.max(1, video.durationMs ?? 0)
  const { hls, poster, storyboard } = playback
  const film = useRef<HTMLDivElement>(null)
  const element = useRef<HTMLVideoElement>(null)
  const tiles = useStoryboard(storyboard)
  const [shown, setShown] = useState<{ video: HTMLVideoElement; controls: Controls }>()
  /** As of the last drawing; none of them is a reason to load the video anew. */
  const latest = useRef({ tiles, onTime, poster })
  useEffect(() => {
    latest.current = { tiles, onTime, poster }
    if (element.current && poster !== null) element.current.poster = poster
  }, [tiles, onTime, poster])

  useEffect(() => {
    if (!film.current) return undefined
    const made = videoOf({ title, width, height, poster: latest.current.poster, tracks })
    const place = document.createElement('div')
    place.className = classes.controls ?? ''
    film.current.replaceChildren(made, place)
    const controls = createControls({
      video: made,
      film: film.current,
      place,
      say,
      durationMs,
      pictureAt: (ms) => tileAt(latest.current.tiles, ms),
    })
    let engine: Engine | undefined
    let isGone = false
    const feed = async () => {
      const { startEngine } = await import('#web/player/engine.ts')
      if (isGone) return
      engine = startEngine({
        video: made,
        url: new URL(hls, location.href).href,
        onLost: () => setTimeout(() => engine?.retry(), 4_000),
        onBack: () => undefined,
        onFailed: () => undefined,
        onHeights: controls.showQuality,
      })
    }
    void feed().catch(ignore)
    made.addEventListener('timeupdate', () => latest.current.onTime?.(made.currentTime * 1_000))
    element.current = made
    setShown({ video: made, controls })
    onVideo?.(made)
    return () => {
      isGone = true
      controls.remove()
      engine?.stop()
    }
  }, [title, width, height, hls, durationMs, tracks, onVideo])

  useEffect(() => {
    if (!shown || chapters.length === 0) return undefined
    let remove: (() => void) | undefined
    let isGone = false
    const add = async () => {
      const { showChapters } = await import('#web/player/chapters.ts')
      if (!isGone) remove = showChapters(shown.controls.parts, { video: shown.video, say, chapters })
    }
    void add().catch(ignore)
    return () => {
      isGone = true
      remove?.()
    }
  }, [shown, chapters])

  useEffect(() => {
    if (!shown || tracks.length === 0) return undefined
    let remove: (() => void) | undefined
    let isGone = false
    const add = async () => {
      const [{ showCaptions }, { captions }] = await Promise.all([
        import('#web/player/captions.ts'),
        import('#contract/messages/en/captions.ts'),
      ])
      if (!isGone) remove = showCaptions(shown.controls.parts, { video: shown.video, say: sayer(captions) })
    }
    void add().catch(ignore)
    return () => {
      isGone = true
      remove?.()
    }
  }, [shown, tracks])

  useEffect(() => {
    const { current } = element
    if (!from || !current) return undefined
    const go = () => {
      current.currentTime = from.ms / 1_000
      void current.play().catch(ignore)
    }
    // Only what has begun to load can be moved.
    if (current.readyState > 0) go()
    else current.addEventListener('loadedmetadata', go, { once: true })
    return () => current.removeEventListener('loadedmetadata', go)
  }, [from])

  return <div ref={film} className={classes.film} data-player />
}

/** The same list as long as it has the same to show. */
function useKept(tracks: Played['tracks']): Played['tracks'] {
  const textOf = (all: Played['tracks']) => all.map(({ src, isDefault }) => `${src} ${isDefault}`).join()
  const [kept, keep] = useState(tracks)
  if (kept !== tracks && textOf(kept) !== textOf(tracks)) keep(tracks)
  return kept
}

type Shown = Pick<Played, 'title' | 'width' | 'height' | 'tracks'> & Pick<Playback, 'poster'>

function videoOf({ title, width, height, poster, tracks }: Shown): HTMLVideoElement {
  const made = document.createElement('video')
  Object.assign(made, { controls: true, playsInline: true, preload: 'metadata', ariaLabel: title })
  Object.assign(made, { width: width ?? 16, height: height ?? 9, ...(poster !== null && { poster }) })
  for (const { kind, language, label, isDefault, src } of tracks) {
    const track = document.createElement('track')
    Object.assign(track, { kind, srclang: language, label, src })
    if (isDefault) track.dataset['shown'] = ''
    made.append(track)
  }
  return made
}

function ignore(): void {
  // Where a browser does not let it play by itself, a press on play does; and where nothing comes, the page is opened again.
}

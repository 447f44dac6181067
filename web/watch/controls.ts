import type { WatchData } from '#contract/watch-page.ts'
import { createControls, type Controls } from '#web/player/controls.ts'
import { claimsOf } from '../recorder/claims.ts'
import type { PlayerParts } from './player.ts'
import { tellOf } from './words.ts'

type Parts = PlayerParts & {
  /** Plays from there, also where nothing was loaded yet. */
  playAt: (seconds: number) => void
}

/** The controls of the page of a video, in the language of the page; before the first press on play they press it. */
export function startControls(
  { durationMs, playToken, quiz }: WatchData,
  parts: Parts,
): Controls | undefined {
  const { video, start, playAt } = parts
  const place = document.getElementById('controls')
  const film = place?.parentElement
  if (!place || !film) return undefined
  const isLoaded = () => video.readyState > 0
  return createControls({
    video,
    film,
    place,
    durationMs,
    maxRate: claimsOf(playToken).maxRate,
    say: tellOf('player'),
    isAlone: true,
    stops: (quiz?.stops ?? []).flatMap(({ atMs }) => atMs ?? []),
    play: () => (isLoaded() ? void video.play().catch(ignore) : start.click()),
    goTo: (seconds) => (isLoaded() ? void (video.currentTime = seconds) : playAt(seconds)),
  })
}

function ignore(): void {
  // The browser decides whether it plays; the controls say what it does.
}

import '@vidstack/react/player/styles/default/theme.css'
import '@vidstack/react/player/styles/default/layouts/video.css'
import './player.css'
import {
  isHLSProvider,
  isVideoProvider,
  MediaPlayer,
  MediaProvider,
  Poster,
  type MediaPlayerInstance,
  type MediaProviderAdapter,
} from '@vidstack/react'
import { defaultLayoutIcons, DefaultVideoLayout } from '@vidstack/react/player/layouts/default'
import { useCallback, useEffect, useRef } from 'react'
import type { Playback } from '#contract/videos.ts'
import { playerLabels } from './playerLabels.ts'

/** Previews repeat what the time line says; the player gives their pictures no text of its own. */
function describePictures(player: MediaPlayerInstance | null): (() => void) | undefined {
  if (!player?.el) return undefined
  const observer = new MutationObserver(() => {
    for (const picture of player.el?.querySelectorAll('img:not([alt])') ?? []) picture.setAttribute('alt', '')
  })
  observer.observe(player.el, { childList: true, subtree: true })
  return () => observer.disconnect()
}

type Props = {
  title: string
  playback: Playback
  /** Where to go and play; another object goes there again. */
  from?: { ms: number } | undefined
  onTime?: (ms: number) => void
  /** The element that plays, once it is there. */
  onVideo?: (video: HTMLVideoElement) => void
}

/** The player of the console: keyboard, speed, full screen, previews above the time line. A chunk of its own. */
export function Player({ title, playback, from, onTime, onVideo }: Props) {
  const player = useRef<MediaPlayerInstance>(null)
  const wanted = useRef<number | null>(null)
  const attach = useCallback((instance: MediaPlayerInstance | null) => {
    player.current = instance
    return describePictures(instance)
  }, [])

  /** Only what has begun to load can be moved. */
  const go = useCallback(() => {
    const { current } = player
    if (!current?.state.canPlay || wanted.current === null) return
    current.currentTime = wanted.current / 1_000
    wanted.current = null
    void current.play().catch(ignore)
  }, [])
  useEffect(() => {
    if (!from) return
    wanted.current = from.ms
    go()
  }, [from, go])

  return (
    <MediaPlayer
      ref={attach}
      className="videos-player"
      title={title}
      ariaLabel={`Video Player - ${title}`}
      src={{ src: new URL(playback.hls, location.href).href, type: 'application/x-mpegurl' }}
      load="visible"
      preload="metadata"
      keyTarget="player"
      playsInline
      onCanPlay={go}
      onTimeUpdate={({ currentTime }) => onTime?.(currentTime * 1_000)}
      onProviderChange={(provider) => {
        // Its own default is an address of somebody else.
        if (isHLSProvider(provider)) provider.library = () => import('hls.js')
      }}
      onProviderSetup={(provider) => {
        const video = videoOf(provider)
        if (video) onVideo?.(video)
      }}
    >
      <MediaProvider>
        {playback.poster && (
          <Poster className="vds-poster" src={playback.poster} alt={`Picture of ${title}`} />
        )}
      </MediaProvider>
      <DefaultVideoLayout
        icons={defaultLayoutIcons}
        translations={playerLabels}
        smallLayoutWhen={({ width }) => width < 480}
        {...(playback.storyboard ? { thumbnails: new URL(playback.storyboard, location.href).href } : {})}
        slots={{ googleCastButton: null, airPlayButton: null }}
      />
    </MediaPlayer>
  )
}

function videoOf(provider: MediaProviderAdapter): HTMLVideoElement | undefined {
  return isHLSProvider(provider) || isVideoProvider(provider) ? provider.video : undefined
}

function ignore(): void {
  // Where a browser does not let it play by itself, its own button does.
}

import '@vidstack/react/player/styles/default/theme.css'
import '@vidstack/react/player/styles/default/layouts/video.css'
import './player.css'
import { isHLSProvider, MediaPlayer, MediaProvider, Poster, type MediaPlayerInstance } from '@vidstack/react'
import { defaultLayoutIcons, DefaultVideoLayout } from '@vidstack/react/player/layouts/default'
import type { Playback } from '#contract/videos.ts'

/** Previews repeat what the time line says; the player gives their pictures no text of its own. */
function describePictures(player: MediaPlayerInstance | null): (() => void) | undefined {
  if (!player?.el) return undefined
  const observer = new MutationObserver(() => {
    for (const picture of player.el?.querySelectorAll('img:not([alt])') ?? []) picture.setAttribute('alt', '')
  })
  observer.observe(player.el, { childList: true, subtree: true })
  return () => observer.disconnect()
}

/** The player of the console: keyboard, speed, full screen, previews above the time line. A chunk of its own. */
export function Player({ title, playback }: { title: string; playback: Playback }) {
  return (
    <MediaPlayer
      ref={describePictures}
      className="videos-player"
      title={title}
      src={{ src: new URL(playback.hls, location.href).href, type: 'application/x-mpegurl' }}
      load="visible"
      preload="metadata"
      keyTarget="player"
      playsInline
      onProviderChange={(provider) => {
        // Its own default is an address of somebody else.
        if (isHLSProvider(provider)) provider.library = () => import('hls.js')
      }}
    >
      <MediaProvider>
        {playback.poster && (
          <Poster className="vds-poster" src={playback.poster} alt={`Picture of ${title}`} />
        )}
      </MediaProvider>
      <DefaultVideoLayout
        icons={defaultLayoutIcons}
        smallLayoutWhen={({ width }) => width < 480}
        {...(playback.storyboard ? { thumbnails: new URL(playback.storyboard, location.href).href } : {})}
        slots={{ googleCastButton: null, airPlayButton: null }}
      />
    </MediaPlayer>
  )
}

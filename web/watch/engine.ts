import HlsEngine from 'hls.js'

export type Engine = {
  /** Height of the rendition that is shown. */
  height: () => number
  retry: () => void
}

export type EngineOptions = {
  video: HTMLVideoElement
  url: string
  /** The network is gone, and with it what was to be loaded next. */
  onLost: () => void
  /** Something could be loaded again. */
  onBack: () => void
  onFailed: () => void
}

/** Feeds the video element; for browsers that do not play HLS well by themselves. */
export function startEngine({ video, url, onLost, onBack, onFailed }: EngineOptions): Engine {
  const hls = new HlsEngine({
    enableWorker: false,
    capLevelToPlayerSize: true,
    maxBufferLength: 30,
    backBufferLength: 60,
  })
  let healed = false
  hls.on(HlsEngine.Events.ERROR, (_event, { fatal, type }) => {
    if (!fatal) return
    if (type === HlsEngine.ErrorTypes.NETWORK_ERROR) onLost()
    else if (type === HlsEngine.ErrorTypes.MEDIA_ERROR && !healed) {
      healed = true
      hls.recoverMediaError()
    } else onFailed()
  })
  hls.on(HlsEngine.Events.FRAG_LOADED, onBack)
  hls.loadSource(url)
  hls.attachMedia(video)
  return {
    height: () => hls.levels[hls.currentLevel]?.height ?? 0,
    // Without a playlist there is nothing to go on with yet.
    retry: () => (hls.levels.length === 0 ? hls.loadSource(url) : hls.startLoad()),
  }
}

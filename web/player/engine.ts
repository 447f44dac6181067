import HlsEngine from 'hls.js'

export type Engine = {
  /** Height of the rendition that is shown. */
  height: () => number
  retry: () => void
  stop: () => void
}

/** Only renditions of this height from now on; null for what suits the network. */
export type Choose = (height: number | null) => void

export type EngineOptions = {
  video: HTMLVideoElement
  url: string
  /** The network is gone, and with it what was to be loaded next. */
  onLost: () => void
  /** Something could be loaded again. */
  onBack: () => void
  onFailed: () => void
  /** Heights of the renditions that there are, once they are known, and what chooses one. */
  onHeights: (heights: readonly number[], choose: Choose) => void
}

/** Takes a part of the engine out, which its types do not foresee, as its light build does. */
const none = undefined as never

/** Feeds the video element; for browsers that do not play HLS well by themselves. */
export function startEngine({ video, url, onLost, onBack, onFailed, onHeights }: EngineOptions): Engine {
  const hls = new HlsEngine({
    enableWorker: false,
    // The browser shows captions from elements of the page, to the millisecond and in its own settings.
    subtitleStreamController: none,
    subtitleTrackController: none,
    timelineController: none,
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
  hls.on(HlsEngine.Events.MANIFEST_PARSED, (_event, { levels }) =>
    onHeights(
      [...new Set(levels.map(({ height }) => height))].toSorted((a, b) => b - a),
      choose,
    ),
  )
  const choose: Choose = (height) => {
    const level = hls.levels.findIndex((one) => one.height === height)
    // What was asked for is shown at any size.
    hls.capLevelToPlayerSize = level < 0
    hls.nextLevel = level
  }
  hls.loadSource(url)
  hls.attachMedia(video)
  return {
    height: () => hls.levels[hls.currentLevel]?.height ?? 0,
    // Without a playlist there is nothing to go on with yet.
    retry: () => (hls.levels.length === 0 ? hls.loadSource(url) : hls.startLoad()),
    stop: () => hls.destroy(),
  }
}

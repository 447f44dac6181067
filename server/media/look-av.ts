import type { Frame, Packet, Stream } from 'node-av/lib'
import type { FileInput, FirstPicture, Measure, Opened, OpenedTrack } from './job.ts'
import {
  completeFrame,
  decoded,
  feedLanes,
  openInput,
  openLane,
  secondsOf,
  withRun,
  type Av,
} from './transcode-av.ts'
import { isOnItsSide, turnOf } from './pictures/turn.ts'

export function openWithNodeAv(input: FileInput): Promise<Opened> {
  return withRun(async ({ av }) => {
    await using demuxer = await openInput(av, input)
    const { streams, duration, startTime } = demuxer
    return {
      tracks: streams.map((stream) => trackOf(av, stream)),
      endSeconds: duration > 0 ? startTime + duration : null,
    }
  })
}

function trackOf(av: Av, { index, codecpar, disposition }: Stream): OpenedTrack {
  const { width, height, codecType, codecId } = codecpar
  const kinds: Record<number, OpenedTrack['kind']> = {
    [av.AVMEDIA_TYPE_VIDEO]: 'picture',
    [av.AVMEDIA_TYPE_AUDIO]: 'sound',
  }
  const stills =
    av.AV_DISPOSITION_ATTACHED_PIC | av.AV_DISPOSITION_TIMED_THUMBNAILS | av.AV_DISPOSITION_STILL_IMAGE
  return {
    index,
    kind: kinds[codecType] ?? 'other',
    codec: av.avGetCodecName(codecId) ?? 'none',
    isDefault: (disposition & av.AV_DISPOSITION_DEFAULT) !== 0,
    isStill: (disposition & stills) !== 0,
    width,
    height,
  }
}

export function firstPictureByNodeAv(input: FileInput): Promise<FirstPicture | null> {
  return withRun(async ({ av, closers }) => {
    await using demuxer = await openInput(av, input)
    const stream = demuxer.streams[input.tracks?.picture ?? -1]
    if (!stream) return null
    const decoder = await av.Decoder.create(stream, { exitOnError: false, options: { threads: '1' } })
    closers.push(() => decoder.close())
    const next = () => {
      for (const frame of decoded(decoder)) {
        using owned: Frame = frame
        completeFrame(av, owned, stream)
        return pictureOf(av, owned, stream)
      }
      return null
    }
    for (const packet of demuxer.packetsSync()) {
      using owned: Packet | null = packet
      if (owned === null) break
      if (owned.streamIndex !== stream.index) continue
      decoder.decodeSync(owned)
      const picture = next()
      if (picture) return picture
    }
    decoder.decodeSync(null)
    return next()
  })
}

function pictureOf(av: Av, frame: Frame, stream: Stream): FirstPicture {
  const { width, height, sampleAspectRatio: pixel, colorTrc } = frame
  const sar = pixel.num > 0 && pixel.den > 0 ? pixel.num / pixel.den : 1
  const transfers = { [av.AVCOL_TRC_SMPTE2084]: 'smpte2084', [av.AVCOL_TRC_ARIB_STD_B67]: 'arib-std-b67' }
  const found = { seconds: secondsOf(av, frame) ?? 0, transfer: transfers[colorTrc] ?? '' }
  return isOnItsSide(turnOf(av, stream))
    ? { ...found, width: height, height: width, sar: 1 / sar }
    : { ...found, width, height, sar }
}

export function measureWithNodeAv(input: FileInput, graph: string, figures: Measure): Promise<void> {
  return withRun(async (run) => {
    const { av } = run
    await using demuxer = await openInput(av, input)
    const { picture, sound } = input.tracks ?? { picture: 0, sound: null }
    const stream = sound === null ? undefined : demuxer.streams[sound]
    run.sinks.push({
      label: 'a',
      pad: null,
      done: false,
      take(frame) {
        if (frame) figures.onSound(secondsOf(av, frame) ?? 0, frame.nbSamples / frame.sampleRate)
      },
    })
    const lanes = stream ? [await openLane(run, { stream, text: graph })] : []
    await feedLanes(demuxer, lanes, (packet) => {
      const { streamIndex, duration, timeBase, flags } = packet
      const seconds = secondsOf(av, packet)
      if (seconds === null || (flags & av.AV_PKT_FLAG_DISCARD) !== 0) return
      const length = (Number(duration) * timeBase.num) / timeBase.den
      if (streamIndex === picture) figures.onPacket('picture', seconds, length)
      else if (streamIndex === sound) figures.onPacket('sound', seconds, length)
    })
  })
}

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { readVideo, type VideoFailure } from '#contract/videos/videos.ts'
import type { Person, TestServer } from '../server.ts'
import { until } from '../until.ts'
import { uploadVideo } from '../uploads.ts'

/** What a file has to become. */
type Taken = {
  file: string
  seconds: number
  /** Pictures a second of what is made, where it is not 10. */
  fps?: number
  size: [width: number, height: number]
  sound: boolean
  warnings?: string[]
}

/** What practice brings, from the folder beside this file: each stands for a kind. */
export const taken: Taken[] = [
  { file: '../ordinary.mp4', seconds: 4, size: [160, 120], sound: true },
  { file: 'trimmed-at-end.mp4', seconds: 1.5, size: [160, 120], sound: true },
  { file: 'edit-cut-middle.mp4', seconds: 2, size: [160, 120], sound: true },
  { file: 'edit-between-key-frames.mp4', seconds: 2, fps: 25, size: [96, 64], sound: true },
  { file: 'unreadable-sound-first.mov', seconds: 2, size: [160, 120], sound: true },
  { file: 'unreadable-sound-second.mov', seconds: 2, size: [160, 120], sound: true },
  { file: 'unreadable-sound-only.mp4', seconds: 4, size: [160, 120], sound: false, warnings: ['no_sound'] },
  { file: 'eight-channels.mov', seconds: 0.3, size: [64, 48], sound: true },
  { file: 'still-with-sound-150s.mp4', seconds: 150, size: [160, 120], sound: true },
  { file: 'sound-before-picture.mkv', seconds: 6, size: [160, 120], sound: true },
  { file: 'picture-later.mp4', seconds: 3, size: [96, 64], sound: true },
  { file: 'sound-later.mp4', seconds: 3, size: [96, 64], sound: true },
  { file: 'second-sound-default.mkv', seconds: 2, size: [96, 64], sound: true },
  { file: 'two-pictures-second-default.mkv', seconds: 2, size: [160, 120], sound: false },
  { file: 'cover-first.mp4', seconds: 2, size: [96, 64], sound: true },
  { file: 'time-code.mov', seconds: 2, size: [96, 64], sound: true },
  { file: 'turned-while-recording.webm', seconds: 4, size: [160, 120], sound: false },
  { file: 'turned-90.mp4', seconds: 2, size: [64, 96], sound: true },
  { file: 'turned-180.mp4', seconds: 2, size: [96, 64], sound: true },
  { file: 'turned-270.mp4', seconds: 2, size: [64, 96], sound: true },
  { file: 'mirrored.mp4', seconds: 2, size: [96, 64], sound: true },
  { file: 'odd-sides.mp4', seconds: 2, size: [97, 65], sound: true },
  { file: 'anamorphic.mp4', seconds: 2, size: [128, 64], sound: true },
  { file: 'half-rate.mp4', seconds: 2, fps: 12.5, size: [96, 64], sound: true },
  { file: 'uneven.mp4', seconds: 2.7, fps: 30, size: [96, 64], sound: true },
  { file: 'late-clock.m2ts', seconds: 2.1, size: [96, 64], sound: true },
  // Two recordings of a second each; the clock of the second begins 0.2 seconds before the first one ends.
  { file: 'sound-changes.m2ts', seconds: 2, size: [48, 32], sound: true },
  { file: 'priming.webm', seconds: 2, size: [96, 64], sound: true },
  // Its first picture comes 0.2 seconds after its sound, and nothing in it says otherwise.
  { file: 'fragmented.mp4', seconds: 2.2, size: [96, 64], sound: true },
  { file: 'webm-without-duration.webm', seconds: 3, size: [160, 120], sound: true },
]

export const refused: { file: string; failure: VideoFailure }[] = [
  { file: 'cut-off.mkv', failure: 'cut_off' },
  { file: 'small.wmv', failure: 'wmv' },
  { file: 'small.flv', failure: 'flv' },
  { file: 'small.mpg', failure: 'mpeg2' },
  { file: 'small-mpeg1.mpg', failure: 'mpeg1' },
  { file: 'small-mpeg2.m2ts', failure: 'mpeg2' },
  { file: 'small-mpeg2.mkv', failure: 'mpeg2' },
  { file: 'small-mpeg2.mp4', failure: 'mpeg2' },
  { file: 'small-mpeg4.mp4', failure: 'mpeg4_part_2' },
  { file: 'small-mjpeg.mov', failure: 'unsupported_codec' },
  { file: 'small.dv', failure: 'dv' },
  { file: 'encrypted.mp4', failure: 'encrypted' },
  { file: 'song.m4a', failure: 'no_video_track' },
  { file: 'moving.gif', failure: 'not_a_video' },
]

export const readCase = (file: string) => readFile(path.join(import.meta.dirname, 'video-cases', file))

type Uploading = { server: TestServer; admin: Person }

/** What the server has made of the file, as the console reads it, and the playlist of it. */
export async function become({ server, admin }: Uploading, bytes: Buffer) {
  const { videoId } = await uploadVideo(server, admin, { bytes })
  const video = await until(async () => {
    const { body } = await admin.call(readVideo, { params: { videoId } })
    return ['ready', 'failed'].includes(body.state) && body
  })
  const url = video.playback?.hls ?? ''
  const fetched = async (name: string) =>
    (await server.app.inject({ method: 'GET', url: url.replace('master.m3u8', name) })).rawPayload
  return { video, playlist: url === '' ? '' : String(await fetched('master.m3u8')), fetched }
}

/** The file of one rendition (or `audio`), as a player puts it together. */
export async function playable(made: Awaited<ReturnType<typeof become>>, name: string): Promise<Buffer> {
  const playlist = String(await made.fetched(`${name}/index.m3u8`))
  const pieces = [...playlist.matchAll(/^\S+\.m4s$/gm)].map(([piece]) => piece)
  return Buffer.concat(
    await Promise.all(['init.mp4', ...pieces].map((piece) => made.fetched(`${name}/${piece}`))),
  )
}

import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AdtsOutputFormat, BufferTarget, EncodedAudioPacketSource, EncodedPacket, Output } from 'mediabunny'
import { afterAll, expect, test } from 'vitest'
import { frameRate } from './probe.ts'
import { probeSource } from '../testing/media/probes.ts'
import { makeSample } from '../testing/media/samples.ts'

const folder = await mkdtemp(join(tmpdir(), 'sendreel-probe-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a video tells its length, upright size, rate and sound', async () => {
  expect(await probeSource(await makeSample(folder, 'shorter than a second'))).toMatchObject({
    width: 320,
    height: 240,
    demuxer: 'mov',
    durationMs: 400,
    fps: { num: 10, den: 1 },
    tracks: { picture: 0, sound: 1 },
  })
  expect(await probeSource(await makeSample(folder, 'turned on its side'))).toMatchObject({
    width: 270,
    height: 480,
    tracks: { picture: 0, sound: null },
  })
})

test('what is no video is refused with its reason', async () => {
  const text = join(folder, 'text.mp4')
  await writeFile(text, 'This is a letter, not a film.\n'.repeat(200))
  await expect(probeSource(text)).rejects.toMatchObject({ name: 'NotAVideoError', code: 'not_a_video' })
  const empty = join(folder, 'empty.mp4')
  await writeFile(empty, '')
  await expect(probeSource(empty)).rejects.toMatchObject({ code: 'not_a_video' })
  const cut = await makeSample(folder, 'portrait, silent')
  await truncate(cut, 300)
  await expect(probeSource(cut)).rejects.toMatchObject({ code: 'index_missing' })
  await expect(probeSource(await soundOnly())).rejects.toMatchObject({ code: 'no_video_track' })
})

test('a file that is not there is the disk’s error, not the video’s', async () => {
  await expect(probeSource(join(folder, 'nowhere.mp4'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test.each([
  [29.97, 30_000, 1001],
  [23.976, 24_000, 1001],
  [25, 25, 1],
  [17.4, 17, 1],
  [120, 60, 1],
  [1, 10, 1],
  [Number.NaN, 30, 1],
])('a rate of about %d becomes %d/%d', (rate, num, den) => {
  expect(frameRate(rate)).toEqual({ num, den })
})

async function soundOnly(): Promise<string> {
  const target = new BufferTarget()
  const output = new Output({ format: new AdtsOutputFormat(), target })
  const source = new EncodedAudioPacketSource('aac')
  output.addAudioTrack(source)
  await output.start()
  const decoderConfig = {
    codec: 'mp4a.40.2',
    numberOfChannels: 1,
    sampleRate: 48_000,
    description: Uint8Array.of(0x11, 0x88),
  }
  for (let index = 0; index < 4; index += 1) {
    const packet = new EncodedPacket(new Uint8Array(40), 'key', index * 0.02133, 0.02133)
    await source.add(packet, { decoderConfig })
  }
  await output.finalize()
  const file = join(folder, 'sound.mp4')
  await writeFile(file, Buffer.from(target.buffer ?? new ArrayBuffer(0)))
  return file
}

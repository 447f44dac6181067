import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { ladder, segmentSeconds } from '#server/media/ladder.ts'
import { processSource } from '#server/media/process.ts'
import { availableEngines } from '#server/media/engines.ts'
import { makeClip } from '#server/testing/clips.ts'
import { temporaryDirectory } from './database.ts'
import { median, type Figure } from './figures.ts'
import { cpuSeconds } from './program.ts'

const seconds = 60
const size = { width: 1280, height: 720 }
const rounds = 3

/** A video made ready to be played, beside one command of ffmpeg that makes the same renditions and nothing else, by turns. */
export async function conversion(): Promise<Figure[]> {
  const found = (await availableEngines()).find((engine) => engine.name === 'cli')
  if (found === undefined) {
    console.log('  conversion: there is no ffmpeg to compare with (FFMPEG_PATH); left out')
    return []
  }
  const folder = await temporaryDirectory()
  try {
    const source = path.join(folder, 'clip.mp4')
    await makeClip({ file: source, seconds, ...size, style: 'orbits', title: 'Converted' })
    const sides = {
      floor: () => plain(found.ffmpeg, source, path.join(folder, 'floor')),
      ours: () => processSource({ source, outDir: path.join(folder, 'ours') }),
    }
    const spent: Record<keyof typeof sides, number[]> = { floor: [], ours: [] }
    for (let round = 0; round < rounds; round++)
      for (const name of ['floor', 'ours'] as const) {
        const before = cpuSeconds(process.pid)
        await sides[name]()
        spent[name].push(cpuSeconds(process.pid) - before)
      }
    return [
      {
        workload: 'conversion',
        what: `${seconds} s of ${size.height}p into all renditions, with pictures and playlists`,
        unit: 'CPU s',
        ours: median(spent.ours),
        beside: { name: 'floor', value: median(spent.floor) },
        target: { of: 'ratio', most: 1.1 },
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function plain(ffmpeg: string, source: string, folder: string): Promise<void> {
  const rungs = ladder(size.width, size.height)
  const split = `[0:v]split=${rungs.length}${rungs.map(({ name }) => `[in${name}]`).join('')}`
  const scaled = rungs.map(
    ({ name, width, height }) => `[in${name}]scale=${width}:${height}:flags=bicubic[${name}]`,
  )
  const words = (text: string) => text.split(' ')
  const outputs = rungs.flatMap(({ name, crf, maxBitrate }) => [
    ...words(`-map [${name}] -c:v libx264 -preset veryfast -threads 2 -crf ${crf} -maxrate ${maxBitrate}`),
    ...words(`-bufsize ${2 * maxBitrate} -g 50 -f hls -hls_time ${segmentSeconds} -hls_segment_type fmp4`),
    path.join(folder, name, 'index.m3u8'),
  ])
  const sound = [...words('-map 0:a? -c:a aac -b:a 128k'), path.join(folder, 'sound.m4a')]
  await rm(folder, { recursive: true, force: true })
  for (const { name } of rungs) await mkdir(path.join(folder, name), { recursive: true })
  const graph = ['-filter_complex', [split, ...scaled].join(';')]
  const child = spawn(
    ffmpeg,
    ['-v', 'error', '-nostdin', '-y', '-i', source, ...graph, ...outputs, ...sound],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const code = await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject))
  if (code !== 0) throw new Error(`ffmpeg ended with ${String(code)}`)
}

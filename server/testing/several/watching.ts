import { setTimeout as pause } from 'node:timers/promises'
import { readEvidence } from '#contract/evidence/evidence.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import { addDelivery, batchOf } from '../viewing/viewing.ts'
import { addMedia, segmentName } from '../viewing/served.ts'
import { until } from '../until.ts'
import type { Answered } from './front.ts'
import { giveUp, patiently, type Scene, type Work } from './work.ts'

const segments = 10
const segmentMs = 6_000
/** A player that waits longer than that for a segment has stood still. */
const stallMs = 1_000
const reportEvery = 2
/** Whoever is killed later than that after it handed something out has written it down. */
const writtenWithinMs = 60_000

type Sitting = { userId: string; by: { run: string; at: number }[] }

/** Somebody new begins every three seconds to watch all of a video, in as many seconds as it has, and reports it as the page does. */
export async function watching(scene: Scene): Promise<Work> {
  const { front, faults, cluster, killed } = scene
  const { server } = cluster
  const { orgId, admin } = await scene.newOrganization()
  const video = await addMedia(server, orgId)
  const done: Sitting[] = []

  async function sit(): Promise<void> {
    const userId = (await patiently(() => server.person(null, orgId))).id
    const { secret } = await patiently(() => addDelivery(server, { organizationId: orgId, ...video, userId }))
    const sitting: Sitting = { userId, by: [] }
    const note = ({ by }: Answered) =>
      sitting.by.push(...by.map((address) => ({ run: runAt(scene, address), at: Date.now() })))
    const page = await front.ask(`/w/video/${video.videoId}?d=${secret}`, {
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    })
    const data = /<script type="application\/json" id="watch">(.*?)<\/script>/.exec(page.body.toString())?.[1]
    if (page.status !== 200 || data === undefined) return void faults.push(`a page was ${page.status}`)
    const { playToken, hls } = JSON.parse(data) as { playToken: string; hls: string }
    const opened = Date.now()
    const spans: Span[] = []
    let batch = 0
    for (let index = 0; index < segments; index += 1) {
      const asked = Date.now()
      const segment = await front.ask(hls.replace('master.m3u8', `360p/${segmentName(index)}`))
      note(segment)
      if (segment.status !== 200) return void faults.push(`a segment was ${segment.status}`)
      const last = spans.at(-1)
      if (!last || Date.now() - asked > stallMs)
        spans.push([spans.length, index * segmentMs, index * segmentMs, 0, 100, 0])
      await pause(segmentMs)
      const playing = spans.at(-1)
      if (playing) {
        playing[2] += segmentMs
        playing[3] += segmentMs
      }
      if (index % reportEvery !== reportEvery - 1) continue
      const facts = {
        playToken,
        batch,
        elapsedMs: Date.now() - opened,
        spans,
        position: (index + 1) * segmentMs,
      }
      const answer = await front.ask('/api/tracks', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(batchOf(facts)),
      })
      if (answer.status !== 200)
        return void faults.push(`a report was ${answer.status} ${answer.body.toString()}`)
      batch += 1
    }
    done.push(sitting)
  }

  /** Whether what was handed out to somebody may have been lost with whoever handed it out. */
  const isExcused = ({ by }: Sitting) =>
    by.some(({ run, at }) => (killed.get(run) ?? Infinity) - at < writtenWithinMs)

  return {
    async run() {
      const sittings: Promise<void>[] = []
      while (!scene.isOver) {
        sittings.push(sit().catch((error: unknown) => giveUp(scene, error)))
        await pause(3_000)
      }
      await Promise.all(sittings)
    },
    async judge() {
      const states: Record<string, number> = {}
      for (const sitting of done) {
        const { userId } = sitting
        const read = async () =>
          (await admin.call(readEvidence, { params: { orgId, userId, videoId: video.videoId } })).body
        const seen = await until(async () => {
          const body = await read()
          return body.versions[0]?.coveredMs === segments * segmentMs && body.state !== 'checking' && body
        }, 60).catch(read)
        const { state } = seen
        const counted = seen.versions[0]?.coveredMs ?? 0
        if (counted !== segments * segmentMs) faults.push(`${userId} watched 60 s, and ${counted} ms count`)
        if (state !== 'proven' && !(state === 'likely' && isExcused(sitting)))
          faults.push(
            `${userId} watched honestly, and is ${state} (${sitting.by.map(({ run }) => run).join('; ')})`,
          )
        states[`who watched and is ${state}`] = (states[`who watched and is ${state}`] ?? 0) + 1
      }
      return { ...states, 'who may have been served by a killed process': done.filter(isExcused).length }
    },
  }
}

function runAt({ cluster }: Scene, address: string): string {
  return cluster.machines.find((machine) => machine.address === address)?.run() ?? address
}

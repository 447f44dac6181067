import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { bytesOf, type Store } from '../../platform/storage/store.ts'
import { mediaPrefix, sourceKey, type VersionKey } from '../../platform/storage/keys.ts'
import { starts, runs } from '../backup/backups.ts'
import { openSink } from '../mail/sink.ts'
import { aggregateOnce } from '../viewing/aggregate.ts'
import { resultsOf } from '../viewing/crowd.ts'
import { addAudience, type Audience } from '../viewing/evidence.ts'
import { chance } from '../viewing/viewers.ts'
import { startAlone, type Cluster } from './cluster.ts'
import { creating } from './people.ts'
import { uploading } from './uploading.ts'
import { watching } from './watching.ts'
import { among, sceneOf, type Scene } from './work.ts'

export type MovePlan = { videos: number; kills: number; seed: number }
export type Moved = {
  counts: Record<string, number>
  errors: Map<string, number>
  faults: string[]
}

const audiences = 4
const msOfVideo = 40
const mostRuns = 40

/**
 * So many videos move into a bucket and back while people upload, watch and create, and the command that moves them is killed again and
 * again, here and there with the machine. What is not as it was is told in `faults`.
 */
export async function moves(plan: MovePlan, say: (line: string) => void = () => undefined): Promise<Moved> {
  const luck = chance(plan.seed)
  const sink = await openSink()
  const cluster = await startAlone({ SMTP_URL: sink.url, MEDIA_WORKERS: '1' })
  try {
    const scene = await sceneOf({ cluster, sink, luck })
    const counts: Record<string, number> = { 'videos moved there and back': plan.videos }
    const orgId = await cluster.server.organization()
    await fill(cluster, orgId, plan.videos)
    const watched = await watchedBefore(cluster, orgId, plan.seed)
    const store = await cluster.server.services.storage.main()
    const before = await objectsOf(store, orgId)
    counts['files compared there and back'] = before.size
    const evidence = await evidenceOf(cluster, watched)
    counts['lines of evidence compared'] = evidence.length
    const works = [await uploading(scene), await watching(scene), await creating(scene)]
    await among(scene, works, async () => {
      for (const [to, from] of [
        ['s3', 'folder'],
        ['folder', 's3'],
      ] as const) {
        await moveUnderKills({
          scene,
          environment: cluster.environment,
          to,
          videos: plan.videos,
          kills: plan.kills / 2,
          seed: plan.seed,
          say,
        })
        const { storage } = cluster.server.services
        scene.faults.push(
          ...differences(before, await objectsOf(storage.of(to), orgId)).map((one) => `in ${to}: ${one}`),
        )
        const left = await objectsOf(storage.of(from), orgId)
        if (left.size > 0) scene.faults.push(`${left.size} files are left in ${from}`)
        say(`${before.size} files compared in ${to}`)
      }
    })
    for (const work of works) Object.assign(counts, await work.judge())
    if ((await evidenceOf(cluster, watched)).join('\n') !== evidence.join('\n'))
      scene.faults.push('the evidence of who had watched before is not what it was')
    return { counts, errors: cluster.errors(), faults: scene.faults }
  } finally {
    await cluster.close()
    await sink.close()
  }
}

/** Videos as processing leaves them, as small as can be. */
async function fill({ server }: Cluster, organizationId: string, videos: number): Promise<void> {
  const store = await server.services.storage.main()
  for (let n = 0; n < videos; n += 1) {
    const source = Buffer.from(`source ${n}`.repeat(100))
    const [made] = await server.query<{ videoId: string; versionId: string }>(
      `with v as (insert into videos (organization_id, title, state) values ($1, $2, 'ready') returning id)
        insert into video_versions (organization_id, video_id, number, file_name, size, sha256, duration_ms, uploaded_at, ready_at)
          select $1, id, 1, 'film.mp4', $3, $4, 60000, now(), now() from v returning video_id as "videoId", id as "versionId"`,
      [organizationId, `Moved ${n}`, source.length, sha256(source)],
    )
    if (!made) throw new Error('no video was made')
    const key = { organizationId, ...made }
    await store.put(sourceKey(key), source)
    await putMedia(store, key, `segment ${n}`)
  }
}

/** Others that people have watched already. */
async function watchedBefore({ server }: Cluster, organizationId: string, seed: number): Promise<Audience[]> {
  const watched: Audience[] = []
  for (let n = 0; n < audiences; n += 1) {
    const audience = await addAudience(server, organizationId, { seed: seed + n })
    await putMedia(await server.services.storage.main(), { organizationId, ...audience }, 'watched')
    watched.push(audience)
  }
  return watched
}

async function putMedia(store: Store, key: VersionKey, segment: string): Promise<void> {
  const prefix = mediaPrefix(key)
  await store.put(`${prefix}master.m3u8`, Buffer.from('#EXTM3U\n360p/index.m3u8\n'))
  await store.put(
    `${prefix}360p/index.m3u8`,
    Buffer.from('#EXTM3U\n#EXTINF:6.0,\n00000.m4s\n#EXT-X-ENDLIST\n'),
  )
  await store.put(`${prefix}360p/00000.m4s`, Buffer.from(segment.repeat(200)))
}

type Moving = {
  scene: Scene
  environment: Record<string, string>
  to: 's3' | 'folder'
  videos: number
  kills: number
  seed: number
  say: (line: string) => void
}

/** Kills the command at any moment so many times, one time in five with the machine; then it comes to its end, is checked and forgotten. */
async function moveUnderKills({ scene, environment, to, videos, kills, seed, say }: Moving): Promise<void> {
  const luck = chance(seed)
  // So that they fall into all of the way, however long it is.
  const longest = 6_000 + videos * msOfVideo
  for (let n = 0; n < kills; n += 1) {
    const { child, ended } = starts('move', ['--to', to], environment)
    await pause(luck.between(300, longest))
    const isMachine = luck.next() < 0.2
    child.kill('SIGKILL')
    const [machine] = scene.cluster.machines
    if (isMachine && machine) {
      scene.killed.set(machine.run(), Date.now())
      await machine.kill()
      await machine.start()
    }
    await ended
    say(`${n + 1} of ${kills} kills on the way to ${to}${isMachine ? ', with the machine' : ''}`)
  }
  await toItsEnd(['--to', to], environment, 'every byte compared')
  const checked = await runs('move', ['--check'], environment)
  if (checked.code !== 0) scene.faults.push(`checked in ${to}: ${checked.output.slice(-1_000)}`)
  const forgetting = starts('move', ['--forget'], environment)
  await pause(luck.between(300, 2_000))
  forgetting.child.kill('SIGKILL')
  await forgetting.ended
  await toItsEnd(['--forget'], environment, /are removed|nothing is to be forgotten/)
}

/** Runs it until it says that it is done: uploads that had begun where the files were end there first. */
async function toItsEnd(
  args: string[],
  environment: Record<string, string>,
  done: string | RegExp,
): Promise<void> {
  let output = ''
  for (let n = 0; n < mostRuns; n += 1) {
    output = (await runs('move', args, environment)).output
    if (typeof done === 'string' ? output.includes(done) : done.test(output)) return
    await pause(2_000)
  }
  throw new Error(`it did not come to its end: ${output}`)
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function objectsOf(store: Store, organizationId: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const top of ['sources', 'media'])
    for await (const { key } of store.list(`${top}/${organizationId}/`))
      found.set(key, sha256(await bytesOf(await store.read(key))))
  return found
}

function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const lost = [...before]
    .filter(([key, hash]) => after.get(key) !== hash)
    .map(([key]) => `${key} is not what it was`)
  const strange = [...after.keys()].filter((key) => !before.has(key)).map((key) => `${key} was not there`)
  return [...lost, ...strange]
}

async function evidenceOf({ server }: Cluster, watched: Audience[]): Promise<string[]> {
  while ((await aggregateOnce(server.services.db)) > 0);
  return resultsOf(
    server,
    watched.map(({ videoId }) => videoId),
  )
}

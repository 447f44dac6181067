import { replaceVideo, type VideoChange } from '#contract/videos/replacements.ts'
import { storeResult } from '../../videos/process-queries.ts'
import type { Chance } from '../viewing/viewers.ts'
import { databaseOf, type Scene } from './world.ts'

const partsMs = (parts: [number, number][]): [number, number][] =>
  parts.map(([from, to]) => [from * 1_000, to * 1_000])

/** Seconds of the stretches, none of which touches another. */
function severalIn(luck: Chance, seconds: number): [number, number][] {
  const parts: [number, number][] = []
  for (let from = luck.between(0, 15); from < seconds - 10 && parts.length < 3;) {
    const to = from + luck.between(1, 9)
    parts.push([from, to])
    from = to + luck.between(5, 20)
  }
  return parts
}

/** Another length of one stretch, or of who knows which of several. */
function otherLength(luck: Chance, before: number): { change: VideoChange; seconds: number } {
  const longer = before > 58 ? -luck.between(2, 8) : luck.between(2, 8)
  const seconds = before + longer
  const alsoDone = luck.next() < 0.6
  if (luck.next() < 0.2)
    return { change: { matters: 'parts', parts: partsMs(severalIn(luck, seconds)), alsoDone }, seconds }
  const from = luck.between(0, seconds - 20)
  const part: [number, number] = [from, from + Math.max(longer, 0) + luck.between(1, 8)]
  return { change: { matters: 'parts', parts: partsMs([part]), alsoDone }, seconds }
}

/** What an author says of a new version, and how long that is. */
function anyChange(luck: Chance, before: number): { change: VideoChange; seconds: number } {
  const kind = luck.pick(['nothing', 'whole', 'parts', 'parts', 'length', 'length', 'length', 'length'])
  const alsoDone = luck.next() < 0.6
  if (kind === 'length') return otherLength(luck, before)
  if (kind === 'nothing') return { change: { matters: 'nothing' }, seconds: before }
  if (kind === 'whole') return { change: { matters: 'whole', alsoDone }, seconds: before }
  return { change: { matters: 'parts', parts: partsMs(severalIn(luck, before)), alsoDone }, seconds: before }
}

/** Another file in place of a video, converted at once. */
export async function replace({ world, organization, at }: Scene): Promise<void> {
  const { luck, model, sending } = world
  const { id: organizationId, admin, videos } = organization
  const video = luck.pick(videos)
  const videoId = video.id
  const { change, seconds } = anyChange(luck, model.versionsOf({ videoId }).at(-1)?.seconds ?? 0)
  const answer = await admin.call(replaceVideo, {
    params: { videoId },
    body: { fileName: 'new.mp4', size: 10, change },
  })
  if (answer.status !== 201) throw new Error(`replacing: ${JSON.stringify(answer.problem)}`)
  const versionId = answer.body.uploadUrl.split('/').at(-1) ?? ''
  const picture = { width: 1, height: 1, renditions: [], poster: 'p.jpg', posterSmall: 'p.jpg', blur: '' }
  const storyboard = { file: 's.json', tileWidth: 1, tileHeight: 1, intervalMs: 1_000, sheets: [] }
  const made = { ...picture, durationMs: seconds * 1_000, storyboard, bytes: 1, files: [], warnings: [] }
  await sending.server.services.db.as({ organizationId }, (tx) =>
    storeResult(tx, { organizationId, videoId, versionId }, made),
  )
  video.versions.push(versionId)
  model.play(videoId, { at, seconds, change })
}

/** By the link of the last mail: in time, before the rest is done, or when nothing is owed. */
export async function confirm(scene: Scene): Promise<void> {
  const { world, organization, at } = scene
  const { luck, model } = world
  const asking = model.rules.filter(({ zone, statement }) => zone === organization.zone && statement !== null)
  const rule = luck.pick(asking)
  const people = organization.people.filter((id) => !organization.inactive.has(id))
  if (people.length === 0) return
  const ready = people.filter((userId) => {
    const duty = model.present(rule, userId)
    return duty && model.isUnconfirmed(duty)
  })
  const userId = luck.pick(ready.length > 0 && luck.next() < 0.8 ? ready : people)
  const duty = model.present(rule, userId)
  const status = duty && (await press(scene, duty))
  if (!duty || status === undefined) return
  const isReady = model.isUnconfirmed(duty)
  const isOwed = duty.state === 'open' || duty.state === 'waived'
  const expected = isReady || duty.confirmedAt !== null ? 303 : isOwed ? 409 : 403
  if (status !== expected) throw new Error(`confirming: ${status}, not ${expected}: ${rule.name}, ${userId}`)
  if (isReady) model.confirm(duty, at)
}

type Whose = { rule: { id: string }; userId: string; cycle: number }

/** The status of the answer; undefined where no mail has come to them. */
async function press({ world }: Scene, { rule, userId, cycle }: Whose): Promise<number | undefined> {
  const { query } = databaseOf(world.sending)
  const [mail] = await query<{ text: string; obligation: string }>(
    `select m.text, o.id as obligation from obligations o join deliveries d on d.user_id = o.user_id
        join transmissions t on t.id = d.transmission_id and t.assignment_id = o.assignment_id join mails m on m.delivery_id = d.id
      where o.assignment_id = $1 and o.user_id = $2 and o.cycle = $3 order by m.created_at desc limit 1`,
    [rule.id, userId, cycle],
  )
  const d = /d=([\w-]{43})/.exec(mail?.text ?? '')?.[1]
  if (!mail || !d) return undefined
  const { statusCode } = await world.sending.server.app.inject({
    method: 'POST',
    url: '/w/me/confirm',
    payload: new URLSearchParams({ d, obligation: mail.obligation }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  return statusCode
}

import * as assignments from '#contract/assignments/assignments.ts'
import { startAttempt } from '#contract/quizzes/quizzes.ts'
import { playOf, sit } from '../quizzes/quizzes.ts'
import { writeLog } from '../viewing/viewers.ts'
import { aggregate, watched } from '../viewing/watching.ts'
import type { Rule, View } from './duty.ts'
import { ofMessages } from './of-message.ts'
import { confirm, replace } from './replace.ts'
import {
  contentOf,
  databaseOf,
  moveClock,
  settle,
  type Organization,
  type Scene,
  type World,
} from './world.ts'

const minute = 60_000
const dayMs = 24 * 60 * minute
/** After whatever is replaced at a step, and so long before what is replaced at its end that it can be played until then. */
const watchedMs = 5_000
const lateMs = 80_000

/** What people and administrators do at one step, each with its own likelihood; a video is replaced before all else, or after it. */
export async function happen(world: World, at: number): Promise<void> {
  const scenes = world.organizations.map((organization) => ({ world, organization, at }))
  for (const scene of scenes) {
    if (world.luck.next() < 0.012) await replace(scene)
    for (const [likelihood, what] of events) if (world.luck.next() < likelihood) await what(scene)
    for (const userId of scene.organization.people) if (world.luck.next() < 0.08) await watch(scene, userId)
  }
  for (const scene of scenes)
    if (world.luck.next() < 0.012) {
      await moveClock(world, at + lateMs)
      await replace({ ...scene, at: at + lateMs })
    }
  await moveClock(world, at + 1.5 * minute)
  if (world.arrears.length === 0) await aggregate(world.sending.server, [])
}

const events: [number, (scene: Scene) => Promise<void>][] = [
  ...ofMessages,
  [0.02, joinOrLeave],
  [0.02, activate],
  [0.03, sitQuestions],
  [0.25, confirm],
  [0.04, decide],
  [0.02, remind],
  [0.01, pauseOrResume],
  [0.004, edit],
]

const act = (rule: Rule, { id: orgId }: Organization) => ({ orgId, assignmentId: rule.id })
const rulesIn = ({ world, organization }: Scene) =>
  world.model.rules.filter(({ zone, state }) => zone === organization.zone && state !== 'ended')

async function joinOrLeave({ world, organization }: Scene): Promise<void> {
  const { id, groupId, people, members } = organization
  const { query } = databaseOf(world.sending)
  const userId = world.luck.pick(people)
  if (members.delete(userId))
    await query('delete from group_members where group_id = $1 and user_id = $2', [groupId, userId])
  else {
    members.add(userId)
    await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
      id,
      groupId,
      userId,
    ])
  }
}

async function activate({ world, organization: { people, inactive } }: Scene): Promise<void> {
  const userId = world.luck.pick(people)
  const isBack = inactive.delete(userId)
  if (!isBack) inactive.add(userId)
  if (isBack) world.model.unreachable.delete(userId)
  else world.model.unreachable.add(userId)
  await databaseOf(world.sending).query('update users set state = $2 where id = $1', [
    userId,
    isBack ? 'active' : 'disabled',
  ])
}

/** What a reminder plays, or any part; from a page that was open for long sometimes the version before. */
function partOf({ world, organization, at }: Scene, userId: string): View {
  const { luck, model } = world
  const begun = organization.videos.filter(({ id }) => model.hasBegun(userId, id))
  const { id: videoId } = luck.pick(begun.length > 0 && luck.next() < 0.6 ? begun : organization.videos)
  const versions = model.versionsOf({ videoId })
  const isOld = versions.length > 1 && luck.next() < 0.15
  const version = versions.length - (isOld ? 1 : 0)
  const { seconds = 0 } = versions[version - 1] ?? {}
  const missing = model.missingOf(userId, videoId)
  const asked = missing.filter((second, index) => second - index === missing[0])
  const half = Math.floor(seconds / 2)
  const parts: [number, number][] = [
    [0, seconds],
    [0, half],
    [half, seconds],
    [20, Math.min(45, seconds)],
  ]
  const remaining: [number, number] | undefined =
    asked[0] === undefined ? undefined : [asked[0], asked[0] + asked.length]
  if (remaining && !isOld) parts.push(remaining, remaining, remaining)
  const [from, to] = luck.pick(parts)
  return { userId, videoId, version, at: at + watchedMs, from: from * 1_000, to: to * 1_000 }
}

/** Nearly always so that it counts at once; else the mails of this step meet a report that is not counted. */
async function watch(scene: Scene, userId: string): Promise<void> {
  const { world, organization } = scene
  const { luck, sending, model, arrears } = world
  const view = partOf(scene, userId)
  const play = {
    org: organization.id,
    video: view.videoId,
    version: organization.videos.find(({ id }) => id === view.videoId)?.versions[view.version - 1] ?? '',
    durMs: (model.versionsOf(view)[view.version - 1]?.seconds ?? 0) * 1_000,
    maxRate: 2,
    theta: 0.95,
    kind: 'recipient',
    userId,
  } as const
  const isLate = luck.next() < 0.1
  const batch = watched(sending.server, { play, at: view.at, part: [view.from, view.to] })
  if (isLate || arrears.length > 0) {
    await writeLog(sending.server, [batch])
    arrears.push(view)
  } else {
    await aggregate(sending.server, [batch])
    model.see(view)
  }
}

async function sitQuestions({ world, organization, at }: Scene): Promise<void> {
  const { sending, luck, model } = world
  const video = organization.videos[2]
  if (!video?.quizId) return
  const userId = luck.pick(organization.people)
  const where = { organizationId: organization.id, videoId: video.id, versionId: video.versions.at(-1) ?? '' }
  const right = luck.next() < 0.6
  const { token: playToken } = playOf(sending.server, where, { userId })
  if (!model.mayAnswer(userId, video.id)) {
    const refused = await sending.server.call(startAttempt, {
      params: { quizId: video.quizId },
      body: { playToken, again: true },
    })
    if (refused.problem?.reason?.code !== 'passed_already') throw new Error(`asked again: ${refused.status}`)
    return
  }
  await sit(sending.server, { quizId: video.quizId, playToken, again: true, right })
  model.answer({ userId, videoId: video.id, at, passed: right })
}

async function decide(scene: Scene): Promise<void> {
  const { world, organization, at } = scene
  const { luck, model } = world
  const rule = luck.pick(rulesIn(scene))
  const userId = luck.pick(organization.people)
  const duty = model.present(rule, userId)
  if (!duty) return
  const say = async (change: assignments.ObligationChange) => {
    const params = { ...act(rule, organization), userId }
    const { status, problem } = await organization.admin.call(assignments.changeObligation, {
      params,
      body: { do: change },
    })
    if (status !== 200) throw new Error(`${change.action}: ${JSON.stringify(problem)}`)
  }
  const reason = 'As agreed'
  if (duty.state === 'waived') {
    await say({ action: 'unwaive', reason })
    model.unwaive(duty, at)
  } else if (duty.state === 'ended' && !duty.left) {
    await say({ action: 'oblige', reason })
    model.oblige(duty, at)
  } else if (duty.state === 'open') {
    const which = luck.pick(['waive', 'waive until', 'extend', 'exempt'])
    const day = new Date(at + luck.between(3, 40) * dayMs).toISOString().slice(0, 10)
    if (which === 'extend') {
      await say({ action: 'extend', reason, day })
      model.extend(duty, day, at)
    } else if (which === 'exempt') {
      await say({ action: 'exempt', reason })
      model.exempt(duty)
    } else {
      const until = which === 'waive' ? null : day
      await say({ action: 'waive', reason, until })
      model.waive(duty, until)
    }
  }
}

/** By hand, once a day; not where a day has passed to the minute. */
async function remind(scene: Scene): Promise<void> {
  const { world, organization, at } = scene
  const rule = world.luck.pick(rulesIn(scene))
  const duty = world.model.present(rule, world.luck.pick(organization.people))
  if (!duty || Math.abs(at - duty.lastMail - dayMs) < 5 * minute) return
  const { status } = await organization.admin.call(assignments.remindObligation, {
    params: { ...act(rule, organization), userId: duty.userId },
  })
  const isDue = duty.state === 'open' && rule.state === 'active' && at - duty.lastMail > dayMs
  if (isDue !== (status === 202)) throw new Error(`reminding by hand: ${status}, ${JSON.stringify(duty)}`)
  if (isDue) world.model.remind(duty, at)
  // Before they watch, so that it is known whether they have done it when it leaves.
  await settle(world)
}

async function pauseOrResume(scene: Scene): Promise<void> {
  const { organization } = scene
  const rule = scene.world.luck.pick(rulesIn(scene))
  const params = act(rule, organization)
  const { version } = (await organization.admin.call(assignments.readAssignment, { params })).body
  const action = rule.state === 'active' ? 'pause' : 'resume'
  await organization.admin.call(assignments.changeAssignment, { params, body: { action, version } })
  rule.state = action === 'pause' ? 'paused' : 'active'
}

/** Another number of days and another plan of reminders. */
async function edit(scene: Scene): Promise<void> {
  const { world, organization, at } = scene
  const { luck, model } = world
  const rule = luck.pick(rulesIn(scene).filter(({ message }) => message === null))
  const params = act(rule, organization)
  const { version } = (await organization.admin.call(assignments.readAssignment, { params })).body
  const due = rule.due.kind === 'after' ? { ...rule.due, days: luck.between(3, 40) } : rule.due
  const reminders = { ...rule.reminders, daysAfter: [luck.between(1, 9)], most: luck.between(0, 6) }
  const { status } = await organization.admin.call(assignments.editAssignment, {
    params,
    body: { ...contentOf({ ...rule, due, reminders }, organization.groupId), version },
  })
  if (status !== 200) throw new Error(`editing: ${status}`)
  model.edit(rule, { due, reminders }, at)
}

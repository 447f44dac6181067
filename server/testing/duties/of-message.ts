import * as assignments from '#contract/assignments/assignments.ts'
import { setDueDay } from '#contract/duty/due-day.ts'
import type { Reminders } from '#contract/duty/reminders.ts'
import {
  createTransmission,
  readTransmission,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import type { Chance } from '../viewing/viewers.ts'
import { isOfMessage, type OfMessage, type Rule } from './duty.ts'
import { contentOf, settle, type Organization, type Scene } from './world.ts'

const dayMs = 24 * 60 * 60_000
/** Of each organization that are not over, so that the people have something else to do as well. */
const most = 4

const none: Reminders = { daysBefore: [], onTheDay: false, daysAfter: [], weekly: false, most: 0 }

/** Messages with a day, what becomes of their days, and their likelihood. */
export const ofMessages: [number, (scene: Scene) => Promise<void>][] = [
  [0.04, send],
  [0.02, moveDay],
  [0.02, takeBack],
  [0.015, edit],
]

const messagesIn = ({ world, organization: { zone } }: Scene) =>
  world.model.rules.filter(isOfMessage).filter((rule) => rule.zone === zone)
const standing = (scene: Scene) => messagesIn(scene).filter(({ state }) => state !== 'ended')

const dayAhead = ({ world, at }: Scene, days = 25) =>
  new Date(at + world.luck.between(2, days) * dayMs).toISOString().slice(0, 10)

/** Null: none are asked for. */
const anyReminders = (luck: Chance): Reminders | null =>
  luck.pick([
    null,
    { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: false, most: 3 },
    { daysBefore: [1, 7], onTheDay: false, daysAfter: [1], weekly: true, most: luck.between(1, 6) },
  ])

type Chosen = { audience: object; isChosen: (userId: string) => boolean }

/** The group, everybody else, or some people by name. */
function anyAudience(luck: Chance, { groupId, members, people }: Organization): Chosen {
  const kind = luck.pick(['group', 'group', 'others', 'some'])
  if (kind === 'group') return { audience: { groupIds: [groupId] }, isChosen: (id) => members.has(id) }
  if (kind === 'others')
    return { audience: { everyone: true, exceptGroupIds: [groupId] }, isChosen: (id) => !members.has(id) }
  const userIds = people.filter(() => luck.next() < 0.4)
  return { audience: { userIds }, isChosen: (id) => userIds.includes(id) }
}

/** Until it has left; then its author sometimes says that whoever joins owes it as well. */
async function send(scene: Scene): Promise<void> {
  const { world, organization, at } = scene
  const { luck, model } = world
  if (standing(scene).length >= most) return
  const { audience, isChosen } = anyAudience(luck, organization)
  const { id: orgId, zone, admin, everybody, inactive } = organization
  const listed = new Set(everybody.filter(isChosen))
  const recipients = [...listed].filter((id) => !inactive.has(id))
  if (recipients.length === 0) return
  const { id: videoId } = luck.pick(organization.videos)
  const [day, reminders] = [dayAhead(scene), anyReminders(luck)]
  const body = {
    accountId: orgId,
    videoId,
    subject: 'By then',
    body: 'Please watch it.',
    audience,
    reminders,
  }
  const made = await admin.call(createTransmission, { body: { ...body, dueAt: day } })
  if (made.status !== 201) throw new Error(`sending: ${JSON.stringify(made.problem)}`)
  await settle(world)
  const { state, duty } = await read(organization, made.body.id)
  if (state !== 'completed' || !duty) throw new Error(`sent and ${state}`)
  const rule: OfMessage = {
    id: duty.id,
    name: `message ${model.rules.length}`,
    zone,
    videoId,
    requirement: 'watched',
    statement: null,
    due: { kind: 'day', day },
    validity: null,
    reminders: reminders ?? none,
    state: 'active',
    isForGroup: true,
    has: (userId) => everybody.includes(userId) && isChosen(userId) && !inactive.has(userId),
    waitsFor: null,
    message: { id: made.body.id, grows: false, listed, endedAt: null },
  }
  model.send(rule, recipients, at)
  if (luck.next() < 0.4) await change(scene, rule, { grows: true })
}

const read = async ({ admin }: Organization, transmissionId: string): Promise<Transmission> =>
  (await admin.call(readTransmission, { params: { transmissionId } })).body

async function setDay({ admin }: Organization, { message }: OfMessage, dueAt: string | null): Promise<void> {
  const params = { transmissionId: message.id }
  const { status, problem } = await admin.call(setDueDay, { params, body: { dueAt } })
  if (status !== 200) throw new Error(`moving the day: ${JSON.stringify(problem)}`)
}

/** To another day, also of one whose day was taken away not long ago. */
async function moveDay(scene: Scene): Promise<void> {
  const { world, organization, at } = scene
  const isOver = ({ message: { endedAt } }: OfMessage) => endedAt !== null && at - endedAt > 20 * dayMs
  const there = messagesIn(scene).filter((rule) => !isOver(rule))
  if (there.length === 0) return
  const rule = world.luck.pick(there)
  const day = dayAhead(scene)
  await setDay(organization, rule, day)
  world.model.moveDay(rule, day, at)
  rule.message.endedAt = null
}

/** At the message, or by ending its assignment. */
async function takeBack(scene: Scene): Promise<void> {
  const { world, organization, at } = scene
  const there = standing(scene)
  if (there.length === 0) return
  const rule = world.luck.pick(there)
  if (world.luck.next() < 0.5) await setDay(organization, rule, null)
  else {
    const params = { orgId: organization.id, assignmentId: rule.id }
    const { version } = (await organization.admin.call(assignments.readAssignment, { params })).body
    const body = { action: 'end', version } as const
    const { status } = await organization.admin.call(assignments.changeAssignment, { params, body })
    if (status !== 200) throw new Error(`ending: ${status}`)
  }
  world.model.end(rule)
  rule.message.endedAt = at
}

/** Another day and other reminders, at its assignment. */
async function edit(scene: Scene): Promise<void> {
  const { world, organization, at } = scene
  const there = standing(scene)
  if (there.length === 0) return
  const rule = world.luck.pick(there)
  const reminders = anyReminders(world.luck) ?? none
  const day = dayAhead(scene)
  await change({ world, organization, at }, rule, { due: { kind: 'day', day }, reminders })
  rule.reminders = reminders
  world.model.moveDay(rule, day, at)
}

type DutyChange = Partial<Pick<Rule, 'due' | 'reminders'>> & { grows?: boolean }

async function change(
  { organization }: Scene,
  rule: OfMessage,
  { grows, ...more }: DutyChange,
): Promise<void> {
  const { id: orgId, groupId, admin } = organization
  const params = { orgId, assignmentId: rule.id }
  const { version } = (await admin.call(assignments.readAssignment, { params })).body
  rule.message.grows = grows ?? rule.message.grows
  const body = { ...contentOf({ ...rule, ...more }, groupId), grows: rule.message.grows, version }
  const { status, problem } = await admin.call(assignments.editAssignment, { params, body })
  if (status !== 200) throw new Error(`changing: ${JSON.stringify(problem)}`)
}

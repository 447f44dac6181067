import * as assignments from '#contract/assignments/assignments.ts'
import { addQuiz } from '../quizzes/answers.ts'
import { addGroup, addPeople, addVideo } from '../audience.ts'
import { setClock } from '../clock.ts'
import { question } from '../quizzes/quizzes.ts'
import type { SendingServer } from '../sending.ts'
import type { Person } from '../server.ts'
import { unique } from '../unique.ts'
import { until } from '../until.ts'
import type { Chance } from '../viewing/viewers.ts'
import type { Rule, View } from './duty.ts'
import type { Model } from './model.ts'

export type Video = { id: string; versions: string[]; quizId: string | null }
export type Organization = {
  id: string
  zone: string
  admin: Person
  groupId: string
  /** Those to whom something happens. */
  people: string[]
  /** With the administrator. */
  everybody: string[]
  members: Set<string>
  inactive: Set<string>
  videos: Video[]
}

export type World = {
  sending: SendingServer
  luck: Chance
  model: Model
  organizations: Organization[]
  /** Reported, and not counted yet. */
  arrears: View[]
}

type Place = { zone: string; people: number }

/** An organization with half of its people in a group, three videos, and assignments that have begun, some of which ask for the same video. */
export async function found(
  { sending, model }: World,
  { zone, people: count }: Place,
): Promise<Organization> {
  const { server } = sending
  const id = await server.organization(`In ${zone}`)
  const { query } = databaseOf(sending)
  await query('update organizations set time_zone = $2 where id = $1', [id, zone])
  const admin = await server.person('admin', id)
  await query(
    `update sessions set idle_expires_at = '2100-01-01', expires_at = '2100-01-01' where user_id = $1`,
    [admin.id],
  )
  const people = await addPeople(server, id, { count, prefix: unique() })
  const members = people.slice(0, Math.ceil(count / 2))
  const groupId = await addGroup(server, id, members)
  const videos: Video[] = []
  for (const title of ['Fire drill', 'Forklifts', 'First aid'])
    videos.push(await addUnasked(sending, id, title))
  const asked = videos[2]
  if (asked) {
    const questions = [question({ atMs: null })]
    const { quizId } = await addQuiz(server, { organizationId: id, videoId: asked.id }, { questions })
    asked.quizId = quizId
    model.asking.add(asked.id)
  }
  const organization: Organization = {
    id,
    zone,
    admin,
    groupId,
    people,
    everybody: [...people, admin.id],
    members: new Set(members),
    inactive: new Set(),
    videos,
  }
  for (const video of videos) model.play(video.id, { at: 0, seconds: 60, change: null })
  for (const rule of rulesOf(organization)) model.rules.push(await begin(organization, rule))
  const earlier = model.rules.find(
    (rule) => rule.name === 'days' && rule.videoId === organization.videos[0]?.id,
  )
  if (earlier) model.rules.push(await begin(organization, nextOf(earlier, organization)))
  return organization
}

/** Statements that stand for what the tests of the console prove elsewhere. */
export const databaseOf = ({ server }: SendingServer) => ({
  query: async <Row extends object>(text: string, values: unknown[] = []) =>
    (await server.services.db.system.query<Row>(text, values)).rows,
})

/** The machine ran all the time: otherwise it would hold what it finds waiting. */
export async function moveClock({ sending }: World, at: number): Promise<void> {
  await setClock(sending.server, at)
  await databaseOf(sending).query('update sending_guard set spoke_at = now()')
}

/** Until everything that was to leave has left. */
export async function settle({ sending }: World): Promise<void> {
  const isSettled = async () => {
    const { rows } = await sending.server.services.db.system.query(
      `select 1 from transmissions where state in ('scheduled', 'preparing', 'sending') limit 1`,
    )
    return rows.length === 0
  }
  if (!(await isSettled())) await until(isSettled, 60)
}

async function addUnasked(sending: SendingServer, organizationId: string, title: string): Promise<Video> {
  const id = await addVideo(sending.server, organizationId, title)
  const [version] = await databaseOf(sending).query<{ id: string }>(
    'select id from video_versions where video_id = $1',
    [id],
  )
  return { id, versions: [version?.id ?? ''], quizId: null }
}

export type Scene = { world: World; organization: Organization; at: number }

export type NewRule = Omit<Rule, 'id' | 'state'>

function rulesOf({ zone, videos, members, inactive, everybody }: Organization): NewRule[] {
  const [first, second, asked] = videos.map(({ id }) => id)
  const inGroup = (userId: string) =>
    everybody.includes(userId) && members.has(userId) && !inactive.has(userId)
  const others = (userId: string) =>
    everybody.includes(userId) && !members.has(userId) && !inactive.has(userId)
  const reminders = { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 4 }
  const watched = {
    zone,
    requirement: 'watched',
    statement: null,
    validity: null,
    reminders,
    isForGroup: true,
    has: inGroup,
    waitsFor: null,
    message: null,
  } as const
  return [
    { ...watched, name: 'days', videoId: first ?? '', due: { kind: 'after', days: 10, working: false } },
    {
      ...watched,
      name: 'half a year',
      videoId: second ?? '',
      due: { kind: 'after', days: 5, working: true },
      validity: { months: 6, renewDays: 20, from: 'last_end' },
      statement: 'I know how to drive one.',
    },
    {
      ...watched,
      name: 'no day, passed',
      videoId: asked ?? '',
      requirement: 'passed',
      due: { kind: 'none' },
      validity: { months: 3, renewDays: 10, from: 'done' },
      reminders: { daysBefore: [3], onTheDay: true, daysAfter: [3, 10], weekly: true, most: 3 },
    },
    {
      ...watched,
      name: 'the others',
      videoId: second ?? '',
      due: { kind: 'after', days: 30, working: false },
      validity: { months: 1, renewDays: 5, from: 'last_end' },
      reminders: { daysBefore: [7, 1], onTheDay: false, daysAfter: [], weekly: false, most: 20 },
      isForGroup: false,
      has: others,
    },
    {
      ...watched,
      name: 'the others, each quarter',
      videoId: second ?? '',
      due: { kind: 'after', days: 12, working: false },
      validity: { months: 3, renewDays: 15, from: 'last_end' },
      reminders: { daysBefore: [5], onTheDay: true, daysAfter: [1], weekly: true, most: 8 },
      isForGroup: false,
      has: others,
    },
    {
      ...watched,
      name: 'passed by all others',
      videoId: asked ?? '',
      requirement: 'passed',
      statement: 'I know what to do first.',
      due: { kind: 'after', days: 20, working: true },
      reminders: { daysBefore: [], onTheDay: true, daysAfter: [1, 5, 9], weekly: true, most: 6 },
      isForGroup: false,
      has: others,
    },
  ]
}

/** The next video of a path, for the same people. */
const nextOf = (earlier: Rule, { videos }: Organization): NewRule => ({
  ...earlier,
  name: 'after days',
  videoId: videos[1]?.id ?? '',
  due: { kind: 'after', days: 7, working: false },
  waitsFor: earlier,
})

async function begin({ id: orgId, groupId, admin }: Organization, rule: NewRule): Promise<Rule> {
  const made = await admin.call(assignments.createAssignment, {
    params: { orgId },
    body: { ...contentOf(rule, groupId), start: true },
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.problem))
  return { ...rule, id: made.body.id, state: 'active' }
}

/** As the console sends it. */
export function contentOf(rule: NewRule, groupId: string) {
  const { name, videoId, requirement, statement, due, validity, reminders, isForGroup, waitsFor } = rule
  const audience = isForGroup ? { groupIds: [groupId] } : { everyone: true, exceptGroupIds: [groupId] }
  const waitsForId = waitsFor?.id ?? null
  const others = {
    waitsForId,
    countsSince: null,
    subject: 'Please watch this',
    message: 'It concerns everybody.',
  }
  return { name, videoId, requirement, statement, due, validity, reminders, audience, ...others }
}

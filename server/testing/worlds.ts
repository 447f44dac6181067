import { afterAll, expect } from 'vitest'
import { createAssignment } from '#contract/assignments/assignments.ts'
import type { Policies } from '#contract/directory/organizations.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { addGroup, addPeople } from './audience.ts'
import { workOnOperations } from './operations.ts'
import { startSendingServer, type SendingServer } from './sending.ts'
import { startTestServer, type Person, type TestServer } from './server.ts'
import { openSink, type Sink, type SinkOptions } from './mail/sink.ts'
import { unique } from './unique.ts'
import { until } from './until.ts'
import type { SentBatch } from './viewing/viewers.ts'
import { aggregate, watched } from './viewing/watching.ts'

/*
 * The states in which tests begin. What a file has but once – a server, a mail server – is awaited at the top of the file; it is
 * closed after the last test of the file, and what was opened last is closed first.
 */

export async function aServer(...given: Parameters<typeof startTestServer>): Promise<TestServer> {
  const server = await startTestServer(...given)
  afterAll(() => server.close())
  return server
}

/** A server that sends, an organization in it, its administrator, and a video to be sent. */
export async function aSendingServer(
  ...given: Parameters<typeof startSendingServer>
): Promise<SendingServer> {
  const sending = await startSendingServer(...given)
  afterAll(() => sending.close())
  return sending
}

/** A server that works on operations as the product does. */
export async function aWorkingServer(...given: Parameters<typeof startTestServer>): Promise<TestServer> {
  const server = await aServer(...given)
  const worker = await workOnOperations(server)
  afterAll(() => worker.stop())
  return server
}

/** A mail server that keeps what it gets. */
export async function aSink(options?: SinkOptions): Promise<Sink> {
  const sink = await openSink(options)
  afterAll(() => sink.close())
  return sink
}

/** An organization and its administrator. */
export async function anOrganization(server: TestServer, name?: string) {
  const orgId = await server.organization(name)
  return { orgId, admin: await server.person('admin', orgId) }
}

/** So many people who only receive, and a group of all of them. */
export async function aGroupOf(server: TestServer, orgId: string, count: number) {
  const people = await addPeople(server, orgId, { count, prefix: unique() })
  return { people, groupId: await addGroup(server, orgId, people) }
}

/** What an administrator fills in to oblige somebody to watch a video, where a test says nothing else. */
export const assignmentOf = <More extends object>(more: More) => ({
  name: `Fire drill ${unique()}`,
  requirement: 'watched' as const,
  due: { kind: 'after' as const, days: 10, working: false },
  validity: null,
  countsSince: null,
  reminders: { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 5 },
  subject: 'Please watch this',
  message: 'It concerns everybody.',
  ...more,
})

type Obliged = { videoId: string; audience: object }

/** An assignment that has begun; nobody is obliged before it is planned. */
export async function anAssignment(admin: Person, asked: Obliged & Record<string, unknown>): Promise<string> {
  const params = { orgId: admin.organizationId ?? '' }
  const body = { ...assignmentOf(asked), start: true }
  const made = await admin.call(createAssignment, { params, body })
  expect([made.status, made.problem]).toEqual([201, undefined])
  return made.body.id
}

/** A message with a video, to whom `asked` says, once all its mails have left; gives its id. */
export async function aSentVideo(admin: Person, asked: { videoId: string } & Record<string, unknown>) {
  const made = await admin.call(createTransmission, {
    body: { accountId: admin.organizationId ?? '', body: 'Hello', ...asked },
  })
  expect([made.status, made.problem]).toEqual([201, undefined])
  const params = { transmissionId: made.body.id }
  await until(async () => (await admin.call(readTransmission, { params })).body.state === 'completed', 30)
  return made.body.id
}

/** `at`: when the page was opened; without a version, the one that plays. */
type Watching = {
  videoId: string
  userId: string
  part?: [startMs: number, endMs: number] | undefined
  at?: number | undefined
  versionId?: string
}

/** What the page of a video reports of somebody who played a part of it by a link of their own. */
export async function aViewing(server: TestServer, watching: Watching): Promise<SentBatch> {
  const { videoId, userId, part = [0, 60_000], at = Date.now() + 1_000, versionId } = watching
  const [version] = await server.query<{ id: string; organizationId: string; durationMs: number }>(
    `select r.id, r.organization_id as "organizationId", r.duration_ms as "durationMs" from videos v
      join video_versions r on r.id = coalesce($2, v.current_version_id) where v.id = $1`,
    [videoId, versionId],
  )
  const { id = '', organizationId = '', durationMs = 0 } = version ?? {}
  const ids = { org: organizationId, video: videoId, version: id, durMs: durationMs }
  const play = { ...ids, kind: 'recipient', userId, maxRate: 2, theta: 0.95 } as const
  return watched(server, { play, at, part })
}

/** The same, until it is counted. */
export async function watches(server: TestServer, watching: Watching): Promise<void> {
  await aggregate(server, [await aViewing(server, watching)])
}

/** The version of a video that plays. */
export async function versionOf({ query }: TestServer, videoId: string): Promise<string> {
  const [video] = await query<{ id: string }>('select current_version_id as id from videos where id = $1', [
    videoId,
  ])
  return video?.id ?? ''
}

/** What was written to somebody, the oldest first. */
export const mailsTo = ({ query }: TestServer, userId: string) =>
  query<{ subject: string; text: string; html: string }>(
    `select m.subject, m.text, m.html from mails m join deliveries d on d.id = m.delivery_id where d.user_id = $1 order by d.id`,
    [userId],
  )

/** Part of what an organization decides about itself; the rest of it stays as it was. */
export const setPolicies = ({ query }: TestServer, orgId: string, policies: Partial<Policies>) =>
  query('update organizations set policies = policies || $2 where id = $1', [orgId, policies])

import { setTimeout as pause } from 'node:timers/promises'
import { hasRow, row, rows } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { aggregateOnce } from '../tracking/aggregate.ts'
import { say } from '../platform/terminal.ts'
import { decide } from './decisions.ts'
import { noteBeginnings, Author } from './diary.ts'
import { addHistory } from './history.ts'
import type { PastTransmission } from './ledger.ts'
import { addPeople } from './people.ts'
import { demoOrganizations, type SampleOrganization } from './plan.ts'
import { answerQuestions, askQuestions } from './quizzes.ts'
import { addTemplates } from './templates.ts'
import { addVideo, type ReadyVideo } from './videos.ts'
import { Id } from '../platform/db/rows.ts'

type Filling = {
  services: Services
  organizationId: string
  plan: SampleOrganization
  /** Shows in the names and the dice, so that organizations differ. */
  seed: number
  /** Accounts among the people that exist already. */
  present: number
  sender: Author
}

/** Fills an organization with people, groups, videos and months of viewing. A second run finds what the first one left. */
export async function fillOrganization(filling: Filling): Promise<void> {
  const { services, organizationId, plan, seed } = filling
  await services.db.as({ organizationId }, async (tx) => {
    const groups = await hasRow(
      tx,
      sql`select 1 from groups where organization_id = ${organizationId} limit 1`,
    )
    const crowd = { organizationId, domain: plan.domain, groups: plan.groups, firstNumber: seed }
    if (groups) return
    await addPeople(tx, { ...crowd, count: plan.people - filling.present })
    await addTemplates(tx, organizationId)
  })
  let ready = 0
  const videos = await twoAtOnce(
    plan.videos.map((video) => async () => {
      const made = await addVideo(services, organizationId, video)
      say(`${plan.name}: ${(ready += 1)} of ${plan.videos.length} videos are ready: ${video.title}`)
      return made
    }),
  )
  const sent = await services.db.as({ organizationId }, (tx) =>
    hasRow(tx, sql`select 1 from transmissions where organization_id = ${organizationId} limit 1`),
  )
  await askQuestions(services, organizationId)
  if (!sent) await addYear(filling, videos)
}

/** The machine has few cores and each video keeps one busy. */
async function twoAtOnce<T>(tasks: (() => Promise<T>)[]): Promise<T[]> {
  const done: T[] = []
  let next = 0
  const work = async () => {
    for (let i = next++; i < tasks.length; i = next++) {
      const task = tasks[i]
      if (task) done[i] = await task()
    }
  }
  await Promise.all([work(), work()])
  return done
}

const messages = [
  'Hello,\n\nplease watch this short video before the end of next week. It takes only a few minutes.\n\nThank you!',
  'Dear colleagues,\n\nthis concerns all of us. Please watch it to the end; your answers count as your signature.',
  'Hi,\n\nhere is the video that we talked about. If anything is unclear, just ask your shift lead.',
]

type Sending = Pick<PastTransmission, 'daysAgo' | 'dueAfter' | 'mishap'> & { isForAll?: boolean }

/** Half a year of transmissions; those without `isForAll` go to one group each. */
const year: readonly Sending[] = [
  { daysAgo: 172, isForAll: true },
  { daysAgo: 151 },
  { daysAgo: 133, dueAfter: 21 },
  { daysAgo: 118, isForAll: true, dueAfter: 30 },
  { daysAgo: 97 },
  { daysAgo: 80, dueAfter: 21 },
  { daysAgo: 61, isForAll: true },
  { daysAgo: 45 },
  { daysAgo: 33, dueAfter: 14 },
  { daysAgo: 24, isForAll: true, dueAfter: 14 },
  { daysAgo: 16 },
  { daysAgo: 9, dueAfter: 21 },
  { daysAgo: 5, isForAll: true, dueAfter: 14, mishap: 'breaks' },
  { daysAgo: 0.2, mishap: 'halts' },
]

async function addYear(
  { services, organizationId, seed, sender }: Filling,
  videos: ReadyVideo[],
): Promise<void> {
  const groups = await services.db.as({ organizationId }, (tx) =>
    rows(tx, Id, sql`select id from groups where organization_id = ${organizationId} order by id`),
  )
  for (const [i, { isForAll = false, ...sending }] of year.entries()) {
    const video = videos[i % videos.length]
    if (!video) continue
    await addHistory(services, {
      ...sending,
      organizationId,
      sender,
      video,
      groupId: isForAll ? null : (groups[i % groups.length]?.id ?? null),
      message: messages[i % messages.length] ?? '',
      seed: seed * 100 + i,
    })
  }
  await services.db.as({ organizationId }, (tx) => noteBeginnings(tx, organizationId, sender))
}

const patienceMs = 200

/** Aggregates until nothing waits: neither what the worker has in hand, nor what is older than it looks back. */
export async function aggregateAll({ db }: Services): Promise<void> {
  while (await hasRow(db.single, sql`select 1 from track_batches where not folded limit 1`))
    if ((await aggregateOnce(db)) === 0) await pause(patienceMs)
}

/** The job behind "Fill with a sample organization" of the first set-up. */
export async function startSample(services: Services): Promise<{ stop(): Promise<void> }> {
  const plan = demoOrganizations[1]
  await services.jobs.work('sample.fill', async ({ organizationId }) => {
    const sender = await services.db.as('system', (tx) =>
      row(tx, Author, sql`select id, name from users where role = 'superadmin' limit 1`),
    )
    if (!plan || !sender) return
    await fillOrganization({ services, organizationId, plan, seed: 40, present: 0, sender })
    await aggregateAll(services)
    await answerQuestions(services, organizationId)
    await decide({ services, organizationId, by: sender })
  })
  return { stop: () => Promise.resolve() }
}

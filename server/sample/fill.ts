import { hasRow, row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { say } from '../platform/terminal.ts'
import { aggregateAll } from './aggregate.ts'
import { addAssignments, bringIn } from './assignments.ts'
import { decideApprovals } from './decisions.ts'
import { noteBeginnings, Author } from './diary.ts'
import { addHistory } from './history.ts'
import type { PastTransmission } from './ledger.ts'
import { addPeople } from './people.ts'
import { demoOrganizations, type SampleOrganization } from './plan.ts'
import { answerQuestions, askQuestions } from './quizzes.ts'
import { addVideo, backdate, type ReadyVideo } from './videos.ts'
import { sampleDuties } from './duties.ts'
import { words } from './words.ts'
import { Id } from '../platform/db/rows.ts'
import type { Language } from '#contract/platform/text/languages.ts'

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
    if (groups) return
    const { domain, language, sinceDays } = plan
    const crowd = { organizationId, domain, language, sinceDays, groups: plan.groups, firstNumber: seed }
    await addPeople(tx, { ...crowd, count: plan.people - filling.present })
    await addTemplates(tx, organizationId, language)
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
  await services.db.as({ organizationId }, (tx) => backdate(tx, organizationId, plan.sinceDays))
  await askQuestions(services, organizationId)
  const assigned = new Set(plan.videos.filter(({ isAssigned }) => isAssigned).map(({ title }) => title))
  if (sent) return
  const duties = sampleDuties[demoOrganizations.indexOf(plan)]
  await services.db.as({ organizationId }, (tx) => bringIn(tx, organizationId, duties?.newcomers ?? []))
  await addYear(
    filling,
    videos.filter(({ title }) => !assigned.has(title)),
  )
}

/** Messages that the organization writes often; a second run leaves them as they are. */
async function addTemplates(tx: Tx, organizationId: string, language: Language): Promise<void> {
  for (const { name, subject, message } of words[language].templates)
    await tx.execute(
      sql`insert into message_templates (organization_id, name, subject, message)
        values (${organizationId}, ${name}, ${subject}, ${message}) on conflict do nothing`,
    )
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

type SampleSending = Pick<PastTransmission, 'daysAgo' | 'dueAfter' | 'mishap'> & { isForAll?: boolean }

/** Half a year of transmissions; those without `isForAll` go to one group each. */
const year: readonly SampleSending[] = [
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
  { services, organizationId, plan, seed, sender }: Filling,
  videos: ReadyVideo[],
): Promise<void> {
  const groups = await services.db.as({ organizationId }, (tx) =>
    rows(tx, Id, sql`select id from groups where organization_id = ${organizationId} order by id`),
  )
  const { messages, subject } = words[plan.language]
  for (const [i, { isForAll = false, ...sending }] of year.entries()) {
    const video = videos[i % videos.length]
    if (!video) continue
    await addHistory(services, {
      ...sending,
      organizationId,
      sender,
      video,
      groupId: isForAll ? null : (groups[i % groups.length]?.id ?? null),
      subject: subject(video.title),
      message: messages[i % messages.length] ?? '',
      seed: seed * 100 + i,
    })
  }
  await services.db.as({ organizationId }, (tx) => noteBeginnings(tx, organizationId, sender))
}

/** What follows from the viewing, and the assignments; once is enough. */
export async function finishOrganization({
  services,
  organizationId,
  plan,
  sender,
}: Omit<Filling, 'seed' | 'present'>): Promise<void> {
  await aggregateAll(services)
  await answerQuestions(services, organizationId)
  await decideApprovals({ services, organizationId, language: plan.language, by: sender })
  const duties = sampleDuties[demoOrganizations.indexOf(plan)]
  if (duties) await addAssignments({ services, organizationId, sender }, duties)
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
    await finishOrganization({ services, organizationId, plan, sender })
  })
  return { stop: () => Promise.resolve() }
}

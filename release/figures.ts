import { createPublicKey, verify } from 'node:crypto'
import pg from 'pg'
import * as z from 'zod/mini'
import { readAudience, listViewers } from '#contract/audience/audience.ts'
import { login } from '#contract/identity/auth.ts'
import { canonical } from '#contract/platform/text/canonical.ts'
import { signedText, type CertificateFile } from '#contract/evidence/certificate-format.ts'
import { listCertificates, readCertificateKey } from '#contract/evidence/certificates.ts'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { listGroups } from '#contract/directory/groups.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { readQuizResults, type QuizResults } from '#contract/quizzes/quiz-results.ts'
import {
  reportAccountActivity,
  reportMessages,
  reportUserActivity,
  reportUserEngagement,
} from '#contract/reports/reports.ts'
import { reportQuizMetrics } from '#contract/reports/report-quizzes.ts'
import { listTraining, readTraining } from '#contract/matrix/training.ts'
import { countDeliveries } from '#contract/transmissions/deliveries.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { listUsers } from '#contract/directory/users.ts'
import { listProjects, listVideos } from '#contract/videos/videos.ts'
import { startEmbedded } from '#server/platform/db/embedded/embedded.ts'
import { sha256 } from '#server/testing/viewing/certificates.ts'
import { entered } from '#server/testing/sign-in/entered.ts'
import { until } from '#server/testing/until.ts'
import { clientOf, passphrase, type Client } from '../e2e/client.ts'
import { readArranged } from './arrange.ts'

/** What a kept installation is asked about beside its lists: who has watched what, by which link and with which certificate. */
export const FigureSubjects = z.object({
  orgId: z.string(),
  userId: z.string(),
  videoId: z.string(),
  /** Of the page of the video, with the secret of one recipient. */
  link: z.string(),
  /** Days of the reports. */
  from: z.string(),
  to: z.string(),
  /** Who signs in with an app, and its secret. */
  withApp: z.object({ email: z.string(), appSecret: z.string() }),
})
export type FigureSubjects = z.infer<typeof FigureSubjects>

export type Figures = Record<string, unknown>

export const superadminEmail = 'sue@example.test'

export async function signIn(url: string): Promise<Client> {
  const body = { identifier: superadminEmail, password: passphrase }
  return clientOf(url, entered(await clientOf(url, '').call(login, { body })).token)
}

/** Waits until the product that runs there has worked out whatever follows from what was written. */
export async function untilWorkedOut(dataDir: string): Promise<void> {
  const embedded = await startEmbedded({ dataDir })
  const client = new pg.Client({ connectionString: embedded.url })
  await client.connect()
  try {
    await until(async () => {
      const { rows } = await client.query(
        'select from dirty_keys union all select from count_changes limit 1',
      )
      return rows.length === 0
    }, 300)
  } finally {
    await client.end()
    await embedded.stop()
  }
}

/**
 * What the API answers about an installation, without what depends on the moment at which it is asked. A release that answers in
 * another form reads the same figures out of that form here, under the same names.
 */
export async function readFigures(url: string, client: Client, asked: FigureSubjects): Promise<Figures> {
  const figures: Figures = {}
  const { items, total } = await client.call(listOrganizations, { query: { sort: 'name' } })
  figures['organizations'] = total
  for (const { id, name } of items) {
    figures[`lists of ${name}`] = await readLists(client, id)
    figures[`transmissions of ${name}`] = await readTransmissions(client, id)
    figures[`training of ${name}`] = await readMatrix(client, id)
  }
  figures['what people arranged'] = await readArranged(client, asked.orgId)
  figures['reports'] = await readReports(client, asked)
  figures['the video'] = await readViewing(client, asked.videoId)
  figures['the person'] = await readPerson(client, asked)
  figures['the certificate'] = await readCertificate(client, url, asked)
  figures['the link'] = await openLink(url, asked.link)
  return figures
}

async function readLists(client: Client, orgId: string): Promise<object> {
  const params = { orgId }
  const query = { organizationId: orgId, limit: 1 }
  const users = await client.call(listUsers, { params, query: { limit: 3, sort: 'name' } })
  const groups = await client.call(listGroups, { params, query: { limit: 100 } })
  const videos = await client.call(listVideos, { query: { organizationId: orgId, sort: 'title' } })
  const projects = await client.call(listProjects, { query })
  const transmissions = await client.call(listTransmissions, { query })
  return {
    people: users.total,
    firstPeople: users.items.map(({ name, email, role }) => ({ name, email, role })),
    groups: groups.items.map(({ name }) => name).toSorted(),
    videos: videos.items.map(({ title, durationMs, state }) => ({ title, durationMs, state })),
    projects: projects.total,
    transmissions: transmissions.total,
  }
}

/** Those that nothing happens to any more. */
async function readTransmissions(client: Client, organizationId: string): Promise<object[]> {
  const query = { organizationId, state: 'completed', sort: 'createdAt', limit: 100 }
  const { items } = await client.call(listTransmissions, { query })
  return Promise.all(
    items.map(async ({ id: transmissionId, subject, audienceTotal, counts, opened, started, completed }) => {
      const { failed: notPassed } = await client.call(countDeliveries, { params: { transmissionId } })
      return { subject, audienceTotal, counts, opened, started, completed, notPassed }
    }),
  )
}

/** What is overdue and who is excused changes with the days; what has been done does not. */
async function readMatrix(client: Client, orgId: string): Promise<object> {
  const { people, videos, done } = await client.call(readTraining, { params: { orgId } })
  const rows = await client.call(listTraining, { params: { orgId }, query: { limit: 100, sort: 'name' } })
  return {
    people,
    done,
    videos: videos.map((video) => ({ title: video.title, done: video.done })),
    rows: rows.items.map((one) => ({ name: one.name, done: one.done })),
  }
}

async function readReports(client: Client, { from, to }: FigureSubjects): Promise<object> {
  const query = { from, to }
  const people = await client.call(reportUserActivity, { query })
  const videos = await client.call(reportUserEngagement, { query })
  const accounts = await client.call(reportAccountActivity, { query })
  const messages = await client.call(reportMessages, { query })
  const quizzes = await client.call(reportQuizMetrics, { query })
  const answers = { people, videos, accounts, messages, quizzes }
  // Up to which instant figures are complete is the instant of reading.
  return JSON.parse(
    JSON.stringify(answers, (name, value: unknown) => (name === 'completeTo' ? undefined : value)),
  ) as object
}

async function readViewing(client: Client, videoId: string): Promise<object> {
  const params = { videoId }
  const { figures, curves, hotspots } = await client.call(readAudience, { params })
  const { items, anonymous } = await client.call(listViewers, { params, query: { limit: 100, sort: 'name' } })
  const { questionCount, attempted, completed, attempts, scores } = await client.call(readQuizResults, {
    params,
  })
  return {
    figures,
    curves,
    hotspots,
    viewers: items.map(({ name, share, coverage, watchedMs, plays, completedAt, evidence }) => ({
      name,
      share,
      coverage,
      watchedMs,
      plays,
      completedAt,
      evidence,
    })),
    anonymous,
    questions: {
      questionCount,
      attempted,
      completed,
      attempts,
      scores: scores && { ...scores, ...sharesOf(scores) },
    },
  }
}

/** Earlier versions told each share with its range. */
function sharesOf({
  passedOfAttempted,
  passedOfAssigned,
  passedAtFirst,
}: NonNullable<QuizResults['scores']>) {
  return {
    passedOfAttempted: { value: passedOfAttempted },
    passedOfAssigned: passedOfAssigned === null ? null : { value: passedOfAssigned },
    passedAtFirst: { value: passedAtFirst },
  }
}

async function readPerson(client: Client, { orgId, userId, videoId }: FigureSubjects): Promise<object> {
  const { person, state, versions, sessions } = await client.call(readEvidence, {
    params: { orgId, userId, videoId },
  })
  return {
    name: person.name,
    state,
    versions: versions.map(({ share, coveredMs, watchedMs, coveredAt, completedAt, lanes }) => ({
      share,
      coveredMs,
      watchedMs,
      coveredAt,
      completedAt,
      watched: lanes.watched,
    })),
    sessions: sessions.items.map(({ startedAt, coverage, watchedMs, spans, events }) => ({
      startedAt,
      coverage,
      watchedMs,
      spans,
      events,
    })),
  }
}

/** With its file, checked as anybody can do it who has nothing else but the public key. */
async function readCertificate(
  client: Client,
  url: string,
  { orgId, userId }: FigureSubjects,
): Promise<object> {
  const { items } = await client.call(listCertificates, { params: { orgId, userId } })
  const [newest] = items
  const address = `${url}/api/organizations/${orgId}/users/${userId}/certificates/${newest?.id}/file?format=json`
  const answer = await fetch(address, { headers: { authorization: `Bearer ${client.token}` } })
  const file = (await answer.json()) as CertificateFile
  const { body, hash, signature } = file
  const found = sha256(Buffer.from(body.previous, 'hex'), sha256(canonical(body))).toString('hex')
  const key = createPublicKey((await client.call(readCertificateKey)).pem)
  const bytes = Buffer.from(signature, 'base64url')
  const isGenuine = hash === found && verify(null, Buffer.from(signedText(file)), key, bytes)
  const page = await fetch(`${url}/verify`)
  return {
    total: items.length,
    number: newest?.number,
    share: newest?.share,
    completedAt: newest?.completedAt,
    hash,
    isGenuine,
    verifyPage: page.status,
  }
}

/** As its recipient does. */
async function openLink(url: string, link: string): Promise<object> {
  const { status, playToken, text } = await openPage(url, link)
  return { status, maySendReports: playToken !== undefined, title: /<title>(.*?)<\/title>/.exec(text)?.[1] }
}

const Handed = z.object({ playToken: z.string() })

export async function openPage(url: string, link: string) {
  const answer = await fetch(url + link, { headers: { 'user-agent': 'Mozilla/5.0 (X11) Firefox/140.0' } })
  const text = await answer.text()
  const data = /<script type="application\/json" id="watch">(.*?)<\/script>/.exec(text)?.[1]
  const playToken = data === undefined ? undefined : Handed.parse(JSON.parse(data)).playToken
  return { status: answer.status, text, playToken }
}

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { issueCertificate } from '#contract/evidence/certificates.ts'
import { readEvidence } from '#contract/evidence/evidence.ts'
import {
  createOrganization,
  listOrganizations,
  readOrganization,
  updateOrganizationSettings,
} from '#contract/directory/organizations.ts'
import { setUp } from '#contract/identity/setup.ts'
import { listOutbox } from '#contract/platform/system.ts'
import { postTracks } from '#contract/tracking/tracks.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { readJobs } from '#contract/platform/upkeep.ts'
import { createUser } from '#contract/directory/users.ts'
import { listVideos } from '#contract/videos/videos.ts'
import { makeBackup } from '#server/backup/backup.ts'
import { inFolder } from '#server/backup/place.ts'
import { startEmbedded } from '#server/platform/db/embedded/embedded.ts'
import { readEnv } from '#server/platform/env.ts'
import { until } from '#server/testing/until.ts'
import { clientOf, passphrase, type Client } from '../e2e/client.ts'
import { openFolder, startProduct, type Product } from '../e2e/product.ts'
import { arrange } from './arrange.ts'
import {
  openPage,
  readFigures,
  superadminEmail,
  untilWorkedOut,
  type FigureSubjects,
  type Figures,
} from './figures.ts'
import { keptIn, keptSecret } from './kept.ts'

/** Of the installation: a cache that hands out media leaves no whole record, so that what is reported counts. */
const settings = { SECRET_KEY: keptSecret, MEDIA_CACHE: '1' }
/** As long as a policy may say, so that it is still there when later versions are tried. */
const retentionMonths = 120

/**
 * Makes an installation with the program of this checkout, fills it with the sample and a viewing, and keeps its tables and what the API
 * answers about it. Gives the folder.
 */
export async function keep(root: string, version: string): Promise<string> {
  const dataDir = await openFolder()
  try {
    const { asked, figures } = await fill(dataDir)
    const { folder, backup, figures: file } = keptIn(root, version)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await backUp(dataDir, { folder, backup })
    writeFileSync(file, `${JSON.stringify({ asked, figures }, null, 1)}\n`)
    return folder
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function fill(dataDir: string): Promise<{ asked: FigureSubjects; figures: Figures }> {
  const product = await startProduct({ ...settings, DATA_DIR: dataDir })
  try {
    const client = await setUpWithSample(product)
    // A second organization shows that the borders between them hold.
    const { id: second } = await client.call(createOrganization, { body: { name: 'Second Organization' } })
    for (const name of ['Ann Other', 'Bo Other']) {
      const body = { name, email: `${name.slice(0, 2).trim().toLowerCase()}@other.test` }
      await client.call(createUser, { params: { orgId: second }, body })
    }
    const { items } = await client.call(listOrganizations, { query: { sort: 'name' } })
    for (const { id } of items) await keepLong(client, id)
    const first = items.find(({ id }) => id !== second)?.id ?? ''
    const withApp = await arrange(product, client, first)
    const asked = { ...(await watch(product.url, client, first)), withApp }
    // At its start it looks through all of what was watched, and not only through what has come lately.
    await product.stop()
    await product.restart()
    await untilWorkedOut(dataDir)
    return { asked, figures: await readFigures(product.url, client, asked) }
  } finally {
    await product.stop()
  }
}

async function setUpWithSample({ url, setupUrl }: Product): Promise<Client> {
  const setup = new URL(setupUrl ?? '').searchParams.get('setup') ?? ''
  const person = { name: 'Sue Perior', email: superadminEmail, password: passphrase }
  const { token } = await clientOf(url, '').call(setUp, { body: { setup, ...person, sample: true } })
  const client = clientOf(url, token)
  await until(async () => {
    const { kinds } = await client.call(readJobs)
    const filling = kinds.find(({ kind }) => kind === 'sample.fill')
    return filling && filling.waiting + filling.later + filling.running + filling.failed === 0
  }, 600)
  return client
}

async function keepLong(client: Client, orgId: string): Promise<void> {
  const params = { orgId }
  const { name, slug, domain, accentColor, timeZone, policies } = await client.call(readOrganization, {
    params,
  })
  const body = { name, slug, domain, accentColor, timeZone, policies: { ...policies, retentionMonths } }
  await client.call(updateOrganizationSettings, { params, body })
}

const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
const watchedMs = 6_000

/** Somebody new gets a video by mail, opens the link and watches its beginning; a certificate says so. */
async function watch(url: string, client: Client, orgId: string): Promise<Omit<FigureSubjects, 'withApp'>> {
  const query = { organizationId: orgId, sort: 'createdAt', limit: 1 }
  const [video] = (await client.call(listVideos, { query })).items
  if (!video) throw new Error('The sample has no video.')
  const email = 'kept@example.test'
  const params = { orgId }
  const { id: userId } = await client.call(createUser, { params, body: { name: 'Kim Kept', email } })
  await client.call(createTransmission, {
    body: { accountId: orgId, userId, videoId: video.id, subject: 'To be kept', body: 'Please watch it.' },
  })
  const link = await until(async () => {
    const { items } = await client.call(listOutbox, { query: { q: email } })
    return items.map(({ text }) => /\/w\/video\/[\w-]+\?d=[\w-]+/.exec(text)?.[0]).find(Boolean)
  })
  const { playToken = '' } = await openPage(url, link)
  // Nobody is believed who has watched more than there was time for.
  await sleep(watchedMs)
  await clientOf(url, '').call(postTracks, {
    body: {
      version: 1,
      playToken,
      batch: 0,
      elapsedMs: watchedMs,
      spans: [[0, 0, watchedMs - 1_000, watchedMs - 1_000, 100, 0]],
      events: [[0, 'impression', 10, 0, null]],
      ended: true,
    },
  })
  const person = { orgId, userId, videoId: video.id }
  await until(async () => {
    const { versions } = await client.call(readEvidence, { params: person })
    return versions.some(({ coveredMs }) => coveredMs > 0)
  })
  await client.call(issueCertificate, { params: { orgId, userId }, body: { videoId: video.id } })
  return { ...person, link, from: day(170), to: day(1) }
}

type Into = { folder: string; backup: string }

/** The tables only: files are not touched by what a later version does to the schema. */
async function backUp(dataDir: string, { folder, backup }: Into): Promise<void> {
  const embedded = await startEmbedded({ dataDir })
  try {
    const env = readEnv({ ...settings, DATA_DIR: dataDir })
    const made = await makeBackup({ env, owner: embedded.url, place: inFolder(folder), kind: 'database' })
    renameSync(path.join(folder, made.name), backup)
  } finally {
    await embedded.stop()
  }
}

import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createVideo } from '#contract/videos/videos.ts'
import { addPastViewing, daysAgo } from './testing/viewing/past.ts'
import { startPoisoned, type Case, type Fed, type Place } from './testing/odd/poison.ts'
import { openNameServer } from './testing/mail/name-server.ts'
import { openSink } from './testing/mail/sink.ts'
import { until } from './testing/until.ts'
import { addPlay, sent, viewer, writeLog } from './testing/viewing/viewers.ts'
import { startPlay } from './tracking/ingest/token.ts'
import { startWorker } from './worker.ts'
import { sourceKey } from './platform/storage/keys.ts'

/** Loops that look after what is old, and those of mails: what they take from is written here as if time had passed. */
const sink = await openSink()
const names = await openNameServer({ 'acme.example.com': ['v=spf1 mx ~all'] })
const world = await startPoisoned({ SMTP_URL: sink.url, DNS_SERVER: names.address })
const { server, query, isThere, poison, place } = world
let worker: { stop(): Promise<void> }

vi.setConfig({ testTimeout: 240_000 })
beforeAll(async () => {
  worker = await startWorker(server.services)
})
afterAll(async () => {
  await worker.stop()
  await world.close()
  await sink.close()
  await names.close()
})

const tidyUp = () => server.services.jobs.wake('housekeeping', {})

/** Somebody poisoned and somebody behind them, of whom this is true once they were worked on. */
async function people({ people: [bad = '', good = ''] }: Place, when: string, isOver: string) {
  const mend = await poison('users', 'update', `new.id = '${bad}' and ${when}`)
  const isSo = (id: string) => isThere(`select from users where id = $1 and ${isOver}`, [id])
  const fed: Fed = { mend, isDone: () => isSo(good), isMended: () => isSo(bad) }
  return { bad, good, fed }
}

/** What is gone from a table once it was worked on: poison of one place, and honest work of another. */
async function goes(table: string, key: string, [bad, good]: readonly [string, string]): Promise<Fed> {
  const mend = await poison(table, 'delete', `old.${key} = '${bad}'`)
  const isGone = async (id: string) => !(await isThere(`select from ${table} where ${key} = $1`, [id]))
  return { mend, isDone: () => isGone(good), isMended: () => isGone(bad) }
}

type Announced = { organizationId: string; videoId: string; versionId: string }

/** A file that has come whole, and is not at its place yet. `first`: what happens before it is there, since tidying up may be under way. */
async function announced({ admin }: Place, first?: (video: Announced) => Promise<void>) {
  const body = { title: 'Clip', fileName: 'clip.mp4', size: 5 }
  const { video } = (await admin.call(createVideo, { body })).body
  const versionId = video.versionId ?? ''
  const made: Announced = { organizationId: video.organizationId, videoId: video.id, versionId }
  await first?.(made)
  const folder = path.join(server.services.env.dataDir, 'uploads')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, versionId), '12345')
  return made
}
const isUploaded = (versionId: string) =>
  isThere('select from video_versions where id = $1 and uploaded_at is not null', [versionId])

const cases: Case[] = [
  {
    loop: 'evidence_checks',
    of: 'somebody whose record has not caught up, among others of their video',
    async feed({ org }) {
      const play = await addPlay(server, org)
      const someone = () =>
        startPlay(server.services.keys, { ...play, userId: crypto.randomUUID() }, Date.now()).claims
      const [bad, good] = [someone(), someone()]
      for (const one of [good, bad])
        await writeLog(server, [sent(one, { at: 9_000, spans: [[0, 0, 8_000, 8_000, 100, 0]] })])
      await until(async () => (await viewer(server, bad)).coveredMs > 0, 30)
      await until(async () => (await viewer(server, good)).coveredMs > 0, 30)
      const mend = await poison(
        'viewer_videos',
        'update',
        `new.viewer_key = '${bad.viewerKey}' and new.evidence <> 'checking'`,
      )
      await query(
        `update viewer_videos set evidence = 'checking', last_at = last_at + case when viewer_key = $2 then interval '1 minute' else '0' end
          where video_id = $1`,
        [play.video, bad.viewerKey],
      )
      const isLooked = ({ viewerKey }: typeof bad) =>
        isThere(`select from viewer_videos where video_id = $1 and viewer_key = $2 and evidence = 'likely'`, [
          play.video,
          viewerKey,
        ])
      return { mend, isDone: () => isLooked(good), isMended: () => isLooked(bad) }
    },
  },
  {
    loop: 'sending',
    of: 'a mail whose row cannot be written',
    async feed({ org }) {
      const [bad, good] = [`bad-${org}@example.test`, `good-${org}@example.test`]
      const mend = await poison('mails', 'update', `new.address = '${bad}' and new.state = 'sending'`)
      await query(
        `insert into mails (organization_id, address, subject, text, state, due_at)
          values ($1, $2, 'Your code', '123456', 'queued', now() - interval '1 minute'), ($1, $3, 'Your code', '123456', 'queued', now())`,
        [org, bad, good],
      )
      await server.services.jobs.wake('mail.send', {})
      const hasLeft = async (address: string) => sink.received.some(({ to }) => to === address)
      return { mend, isDone: () => hasLeft(good), isMended: () => hasLeft(bad) }
    },
  },
  {
    loop: 'sending',
    of: 'a mail that was interrupted',
    async feed({ org }) {
      const [bad, good] = [`cut-${org}@example.test`, `behind-${org}@example.test`]
      const mend = await poison('mails', 'update', `new.address = '${bad}'`)
      await query(
        `insert into mails (organization_id, address, subject, text, state, due_at)
          values ($1, $2, 'Your code', '123456', 'sending', now() - interval '1 minute'), ($1, $3, 'Your code', '123456', 'queued', now())`,
        [org, bad, good],
      )
      await server.services.jobs.wake('mail.send', {})
      return {
        mend,
        isDone: async () => sink.received.some(({ to }) => to === good),
        isMended: () => isThere(`select from mails where address = $1 and state = 'failed'`, [bad]),
      }
    },
  },
  {
    loop: 'senders',
    of: 'the address of a sender',
    async feed(at) {
      const other = await place()
      const mend = await poison(
        'mail_senders',
        'update',
        `new.organization_id = '${at.org}' and new.checked_at > old.checked_at`,
      )
      for (const [{ org }, hours] of [
        [at, 30],
        [other, 26],
      ] as const)
        await query(
          `insert into mail_senders (organization_id, address, verified_at, checked_at)
            values ($1, 'training@acme.example.com', now(), now() - make_interval(hours => $2))`,
          [org, hours],
        )
      await tidyUp()
      const isChecked = ({ org }: Place) =>
        isThere(
          `select from mail_senders where organization_id = $1 and checked_at > now() - interval '1 hour'`,
          [org],
        )
      return { mend, isDone: () => isChecked(other), isMended: () => isChecked(at) }
    },
  },
  {
    loop: 'uploads',
    of: 'a file that cannot be brought to its place',
    async feed(at) {
      let folder = ''
      const bad = await announced(at, async (video) => {
        folder = path.dirname(path.join(server.services.env.dataDir, sourceKey(video)))
        await mkdir(path.dirname(folder), { recursive: true })
        await writeFile(folder, 'a file where the folder belongs')
      })
      const good = await announced(at)
      await tidyUp()
      return {
        mend: () => rm(folder),
        isDone: () => isUploaded(good.versionId),
        isMended: () => isUploaded(bad.versionId),
      }
    },
  },
  {
    loop: 'uploads',
    of: 'a file that is at its place, and cannot be noted',
    async feed(at) {
      const [bad, good] = [await announced(at), await announced(at)]
      const mend = await poison('video_versions', 'update', `new.id = '${bad.versionId}'`)
      await tidyUp()
      return { mend, isDone: () => isUploaded(good.versionId), isMended: () => isUploaded(bad.versionId) }
    },
  },
  {
    loop: 'housekeeping',
    of: 'a removed person who cannot be erased, among others',
    async feed(at) {
      const { bad, good, fed } = await people(at, 'new.erased_at is not null', 'erased_at is not null')
      await query(`update users set deleted_at = now() - interval '31 days' where id = any($1)`, [
        [bad, good],
      ])
      await tidyUp()
      return fed
    },
  },
  {
    loop: 'housekeeping',
    of: 'evidence that cannot be erased with its person',
    async feed(at) {
      const [bad = '', good = ''] = at.people
      const mend = await poison('evidence_erasures', 'update', `new.user_id = '${bad}'`)
      await query('update users set deleted_at = now(), erased_at = now() where id = any($1)', [[bad, good]])
      for (const userId of [bad, good])
        await query('insert into evidence_erasures (organization_id, user_id) values ($1, $2)', [
          at.org,
          userId,
        ])
      await tidyUp()
      const isErased = (userId: string) =>
        isThere('select from evidence_erasures where user_id = $1 and done_at is not null', [userId])
      return { mend, isDone: () => isErased(good), isMended: () => isErased(bad) }
    },
  },
  {
    loop: 'housekeeping',
    of: 'an account whose owner has left',
    async feed(at) {
      const { bad, good, fed } = await people(at, `new.state = 'deleted'`, 'deleted_at is not null')
      await query(
        `update users set delete_after = now() - case when id = $1 then interval '1 day' else '0' end where id = any($2)`,
        [bad, [bad, good]],
      )
      await tidyUp()
      return fed
    },
  },
  {
    loop: 'housekeeping',
    of: 'a field that was removed',
    async feed({ org }) {
      const [bad, good] = [crypto.randomUUID(), crypto.randomUUID()]
      const fed = await goes('custom_fields', 'id', [bad, good])
      await query(
        `insert into custom_fields (id, organization_id, key, label, type, deleted_at)
          values ($1, $3, 'a', 'A', 'text', now() - interval '90 days'), ($2, $3, 'b', 'B', 'text', now() - interval '60 days')`,
        [bad, good, org],
      )
      await tidyUp()
      return fed
    },
  },
  {
    loop: 'housekeeping',
    of: 'the file of an import',
    async feed({ org }) {
      const [bad, good] = [crypto.randomUUID(), crypto.randomUUID()]
      const fed = await goes('imports', 'operation_id', [bad, good])
      await query(
        `insert into operations (id, organization_id, kind, state, created_by_name, finished_at)
          values ($1, $3, 'users.import', 'done', 'Ada', now() - interval '50 days'), ($2, $3, 'users.import', 'done', 'Ada', now() - interval '40 days')`,
        [bad, good, org],
      )
      await query(
        `insert into imports (operation_id, organization_id, file_name, delimiter, header, options)
          select unnest($1::uuid[]), $2, 'people.csv', ',', '{}', '{}'`,
        [[bad, good], org],
      )
      await tidyUp()
      return fed
    },
  },
  {
    loop: 'housekeeping',
    of: 'an organization whose old evidence cannot be deleted',
    async feed(at) {
      const other = await place()
      const fed = await goes('play_sessions', 'organization_id', [at.org, other.org])
      await addOldViewing(at)
      await addOldViewing(other)
      await query(
        `update organizations set policies = policies || '{"retentionMonths": 1}' where id = any($1)`,
        [[at.org, other.org]],
      )
      await tidyUp()
      return fed
    },
  },
  {
    loop: 'housekeeping',
    of: 'an organization whose details of viewing cannot be taken away',
    async feed(at) {
      const other = await place()
      const fed = await goes('play_sessions', 'organization_id', [at.org, other.org])
      await addOldViewing(at)
      await addOldViewing(other)
      await query(
        `update organizations set policies = policies || '{"trackingMode": "completed_only"}' where id = any($1)`,
        [[at.org, other.org]],
      )
      await tidyUp()
      return fed
    },
  },
]

async function addOldViewing({ org, videoId, people: [userId = ''] }: Place) {
  const [version] = await query<{ id: string }>('select id from video_versions where video_id = $1', [
    videoId,
  ])
  const facts = { organizationId: org, videoId, versionId: version?.id ?? '', userId, at: daysAgo(60) }
  await addPastViewing(server, { ...facts, coveredMs: 60_000, watchMs: 70_000, completed: true })
}

describe.each(cases)('$loop steps over $of', (one) => {
  test('tells it, goes on with what is behind, and makes it up once it is mended', async () => {
    expect((await world.stepsOver(one)).reason).not.toBe('')
  })
})

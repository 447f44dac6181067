import { verify } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { canonical } from '#contract/platform/text/canonical.ts'
import {
  attachmentName,
  chainOrigin,
  sealedText,
  sealMark,
  type CertificateFile,
} from '#contract/evidence/certificate-format.ts'
import { stripDrawing, stripMark } from '#contract/evidence/certificate-strip.ts'
import * as contract from '#contract/evidence/certificates.ts'
import { updateOrganizationSettings } from '#contract/directory/organizations.ts'
import { updateUser } from '#contract/directory/users.ts'
import { connectionLock } from '#server/platform/db/locks.ts'
import { isGenuine as genuine, publicKeyOf, sha256 } from '#server/testing/viewing/certificates.ts'
import { addVideo } from '#server/testing/viewing/viewing.ts'
import { durationMs, longAgo, watched, watchMore } from '#server/testing/viewing/watched.ts'
import { readPdf } from '#server/testing/files.ts'
import type { Person } from '#server/testing/server.ts'
import { aServer, anOrganization, setPolicies } from '#server/testing/worlds.ts'
import { erasePeople } from '../../housekeeping.ts'

const server = await aServer()

let orgId: string
let admin: Person
let viewer: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Köhler & Söhne'))
  viewer = await server.person(null, orgId)
})

const watch = (parts: Parameters<typeof watched>[2], userId = viewer.id) =>
  watched(server, { orgId, userId }, parts)

const issue = (videoId: string, by = admin, userId = viewer.id) =>
  by.call(contract.issueCertificate, { params: { orgId, userId }, body: { videoId } })

async function download(certificateId: string, format: 'json' | 'pdf', by = admin) {
  const url = `/api/organizations/${orgId}/users/${viewer.id}/certificates/${certificateId}/file?format=${format}`
  return server.app.inject({ url, headers: { authorization: `Bearer ${by.token}` } })
}

async function fileOf(certificateId: string): Promise<CertificateFile> {
  return (await download(certificateId, 'json')).json()
}

const isGenuine = (file: CertificateFile) => genuine(server, file)

describe('a certificate', () => {
  it('requires sign-in, a role, and a person in sight', async () => {
    const { videoId } = await watch([[0, durationMs]])
    const address = { params: { orgId, userId: viewer.id }, body: { videoId } }
    expect((await server.call(contract.issueCertificate, address)).status).toBe(401)
    const other = await server.person('admin', await server.organization())
    expect((await other.call(contract.issueCertificate, address)).status).toBe(404)
    const groupadmin = await server.person('groupadmin', orgId)
    expect((await issue(videoId, groupadmin)).status).toBe(404)
    expect((await groupadmin.call(contract.listCertificates, { params: address.params })).status).toBe(404)
    await server.query(
      `with g as (insert into groups (organization_id, name) values ($1, 'Crew') returning id),
        m as (insert into group_members (organization_id, group_id, user_id) select $1, id, $2 from g)
        insert into group_members (organization_id, group_id, user_id, groupadmin) select $1, id, $3, true from g`,
      [orgId, viewer.id, groupadmin.id],
    )
    const issued = await issue(videoId, groupadmin)
    expect(issued.status).toBe(200)
    expect((await download(issued.body.id, 'json', groupadmin)).statusCode).toBe(200)
  })

  it('is printed in the language of the person, else in that of the organization, and signed all the same', async () => {
    const { videoId } = await watch([[0, durationMs]])
    const { body } = await issue(videoId)
    const printed = async () => (await download(body.id, 'pdf')).body
    const signed = await fileOf(body.id)
    expect(await printed()).toContain('/Lang (en-US)')
    const settings = { name: 'Köhler & Söhne', language: 'de' } as const
    await admin.call(updateOrganizationSettings, { params: { orgId }, body: settings })
    expect(await printed()).toContain('/Lang (de-DE)')
    const person = { name: 'Viewer', email: viewer.email, language: 'en' } as const
    await admin.call(updateUser, { params: { orgId, userId: viewer.id }, body: person })
    expect(await printed()).toContain('/Lang (en-US)')
    expect(await fileOf(body.id)).toEqual(signed)
  })

  it('is refused for a foreign video, and where nothing was watched', async () => {
    const foreign = await addVideo(server, { organizationId: await server.organization() })
    expect((await issue(foreign.videoId)).status).toBe(404)
    const unseen = await addVideo(server, { organizationId: orgId })
    expect((await issue(unseen.videoId)).problem).toMatchObject({ code: 'conflict' })
  })

  it('waits for nobody who works out the members of rule groups', async () => {
    const { videoId } = await watch([[0, durationMs]])
    const holder = await server.services.db.system.connect()
    await holder.query(connectionLock('ruleMembers').wait, [orgId])
    const issued = await issue(videoId)
    await holder.query(connectionLock('ruleMembers').release, [orgId])
    holder.release()
    expect(issued.status).toBe(200)
  })

  it('states person, version, parts, sessions and what earned nothing', async () => {
    const { videoId, versionId } = await watch([
      [0, 2_000],
      [3_000, 4_500],
      [4_600, 9_600],
    ])
    const issued = await issue(videoId)
    expect(issued.body).toMatchObject({ number: 1, share: 7_291, completedAt: null, isErased: false })
    const { body } = await fileOf(issued.body.id)
    expect(body).toMatchObject({
      number: 1,
      previous: chainOrigin,
      organization: { id: orgId, name: 'Köhler & Söhne' },
      person: { id: viewer.id, email: viewer.email },
      video: { id: videoId, title: 'Fire drill', versionId, version: 1, durationMs },
      threshold: 9_500,
      completedAt: null,
      quiz: null,
    })
    const [session] = body.viewing?.sessions ?? []
    expect(body.viewing).toMatchObject({
      covered: [
        [0, 2_000],
        [3_000, 4_500],
      ],
      coveredMs: 3_500,
      evidence: { spans: 3 },
    })
    expect(session).toMatchObject({
      device: 'Firefox on Linux',
      rates: [100],
      muted: true,
      hidden: false,
      batchesSeen: 1,
    })
    expect(session?.refused).toEqual([{ fromMs: 4_600, toMs: 9_600, reason: 'faster' }])
  })

  it('is signed so that a change of any field is seen', async () => {
    const { videoId } = await watch([[0, durationMs]])
    const file = await fileOf((await issue(videoId)).body.id)
    expect(await isGenuine(file)).toBe(true)
    for (const place of leavesOf(file.body)) {
      const forged = structuredClone(file)
      forge(forged.body, place)
      expect(await isGenuine(forged), place.join('.')).toBe(false)
    }
    const rehashed = structuredClone(file)
    rehashed.body.person.name = 'Somebody else'
    rehashed.hash = sha256(
      Buffer.from(rehashed.body.previous, 'hex'),
      sha256(canonical(rehashed.body)),
    ).toString('hex')
    expect(await isGenuine(rehashed)).toBe(false)
  })

  it('is handed out again while nothing has changed, and follows the one before when something has', async () => {
    const { videoId, path } = await watch([[0, 2_000]])
    const first = await issue(videoId)
    // The page says good-bye later: one report more, and nothing else was watched.
    await server.query(
      `with s as (update play_sessions set batches_seen = 2, batches_expected = 2, last_at = now() where video_id = $1 returning id)
        update play_spans set seen_ms = seen_ms + 10, began_ms = began_ms - 1 where session_id in (select id from s)`,
      [videoId],
    )
    expect((await issue(videoId)).body).toEqual(first.body)
    await longAgo(server, videoId)
    await watchMore(server, path, [[0, durationMs]])
    const second = await issue(videoId)
    expect(second.body).toMatchObject({ number: 2, share: 10_000 })
    expect(second.body.completedAt).not.toBeNull()
    expect((await fileOf(second.body.id)).body.previous).toBe(first.body.hash)
    const { body } = await admin.call(contract.listCertificates, { params: { orgId, userId: viewer.id } })
    expect(body.items.map(({ number }) => number)).toEqual([2, 1])
    const audit = await server.query(
      `select entity_id, after->>'number' as number from audit where action = 'certificate.issue' and organization_id = $1 order by at`,
      [orgId],
    )
    expect(audit).toEqual([1, 2].map((n) => ({ entity_id: viewer.id, number: String(n) })))
  })

  it('has one place in the chain however many are issued at once', async () => {
    const viewers = await Promise.all(Array.from({ length: 20 }, () => server.person(null, orgId)))
    const { videoId, versionId } = await addVideo(server, { organizationId: orgId })
    for (const { id } of viewers)
      await server.query(
        `insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, plays, covered_ms, coverage, first_at, last_at)
          values ($1, 'recipient:' || $2, $3, $4, $2::uuid, 1, 1000, '{[0,1000)}', now(), now())`,
        [versionId, id, orgId, videoId],
      )
    const answers = await Promise.all(viewers.map(({ id }) => issue(videoId, admin, id)))
    expect(answers.map(({ status }) => status)).toEqual(viewers.map(() => 200))
    const links = await chainOf(orgId)
    expect(links.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_none, i) => i + 1))
    expect(faultsOf(links)).toEqual([])
  })

  it('loses its text with the person, and the chain still fits', async () => {
    const { videoId } = await watch([[0, durationMs]])
    const { id } = (await issue(videoId)).body
    await server.query(`update users set deleted_at = now() - interval '40 days' where id = $1`, [viewer.id])
    await erasePeople(server.services)
    const [erased] = await chainOf(orgId)
    expect(erased).toMatchObject({ number: 1, body: null })
    expect((await download(id, 'json')).statusCode).toBe(404)
    const other = await server.person(null, orgId)
    const second = await watch([[0, durationMs]], other.id)
    expect((await issue(second.videoId, admin, other.id)).body).toMatchObject({ number: 2, isErased: false })
    expect(faultsOf(await chainOf(orgId))).toEqual([])
  })

  it('cannot be rewritten or removed by the application', async () => {
    const { videoId } = await watch([[0, durationMs]])
    const { id } = (await issue(videoId)).body
    const { system } = server.services.db
    await expect(system.query(`update certificates set body = '{}' where id = $1`, [id])).rejects.toThrow(
      'never changes',
    )
    await expect(system.query(`update certificates set number = 9 where id = $1`, [id])).rejects.toThrow(
      'permission denied',
    )
    await expect(system.query('delete from certificates where id = $1', [id])).rejects.toThrow(
      'permission denied',
    )
  })

  it('tells nothing but completion where the organization keeps nothing else', async () => {
    await setPolicies(server, orgId, { trackingMode: 'completed_only' })
    const { videoId, playToken } = await watch([[0, durationMs]])
    const { body } = await fileOf((await issue(videoId)).body.id)
    expect(body.viewing).toBeNull()
    expect(body.completedAt).not.toBeNull()
    const receipt = await server.call(contract.readReceipt, { body: { playToken } })
    expect(receipt.body).toMatchObject({ share: null, missing: null, completedAt: body.completedAt })
  })
})

describe('the PDF', () => {
  it('carries the signed text as it is, and a seal over every byte of its pages', async () => {
    const { videoId } = await watch([[0, durationMs]])
    const { id } = (await issue(videoId)).body
    const answer = await download(id, 'pdf')
    expect(answer.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': expect.stringMatching(
        /^attachment; filename="certificate(-[a-z0-9]+)+-1\.pdf"$/,
      ),
    })
    const pdf = answer.rawPayload
    expect(pdf.toString('latin1', 0, 8)).toBe('%PDF-1.7')
    expect(pdf.includes(attachmentName)).toBe(true)
    const file = await fileOf(id)
    expect(pdf.includes(`stream\n${canonical(file)}\nendstream`)).toBe(true)
    const at = pdf.lastIndexOf(sealMark)
    const seal = pdf.toString('latin1', at + sealMark.length).trim()
    const text = sealedText(file, sha256(pdf.subarray(0, at)).toString('hex'))
    const sealed = (words: string) => async () =>
      verify(null, Buffer.from(words), await publicKeyOf(server), Buffer.from(seal, 'base64url'))
    expect(await sealed(text)()).toBe(true)
    expect(await sealed(sealedText(file, sha256(pdf.subarray(1, at)).toString('hex')))()).toBe(false)
  })

  it('shows the strip of what is signed as its seal, and none where only completions are kept', async () => {
    const { videoId } = await watch([
      [0, 2_000],
      [3_000, 4_500],
    ])
    const { id, hash } = (await issue(videoId)).body
    const pdf = (await download(id, 'pdf')).rawPayload
    const seen = [
      [0, 2_000],
      [3_000, 4_500],
    ] as const
    expect(pdf.includes(`stream\n${stripDrawing(seen, durationMs)}\nendstream`)).toBe(true)
    expect(pdf.includes('/Subtype /Form')).toBe(true)
    // Under the strip, and where the whole fingerprint stands.
    const words = readPdf(pdf).pages[0]?.split(/\s+/) ?? []
    expect(words.filter((word) => word === hash.slice(0, 8))).toHaveLength(2)
    await setPolicies(server, orgId, { trackingMode: 'completed_only' })
    const plain = await watch([[0, durationMs]])
    const completion = await download((await issue(plain.videoId)).body.id, 'pdf')
    expect(completion.rawPayload.includes(stripMark)).toBe(false)
  })

  it.each([
    ['山田 さくら', '山田 さくら'],
    ['श्रीमती लक्ष्मी', 'श्रीमती लक्ष्मी'],
    ['דוד ישראלי', 'ילארשי דוד'],
  ])('carries the name %s as its owner writes it', async (name, fromLeft) => {
    const { videoId } = await watch([[0, durationMs]])
    await server.query('update users set name = $2 where id = $1', [viewer.id, name])
    const { id } = (await issue(videoId)).body
    expect((await fileOf(id)).body.person.name).toBe(name)
    const { pages } = readPdf((await download(id, 'pdf')).rawPayload)
    const bare = (text: string) => text.replaceAll(/\s/g, '')
    expect(bare(pages[0] ?? '')).toContain(bare(fromLeft))
    expect(pages[0]).not.toContain('[')
  })
})

type Link = { number: number; body: string | null; bodyHash: string; previous: string | null; hash: string }

async function chainOf(organizationId: string): Promise<Link[]> {
  const found = await server.query<Link>(
    `select number::int as number, body, encode(body_hash, 'hex') as "bodyHash", encode(previous_hash, 'hex') as previous,
      encode(hash, 'hex') as hash from certificates where organization_id = $1 order by number`,
    [organizationId],
  )
  return found
}

/** Numbers of links that do not fit: to the one before, or to their own text where it is still there. */
function faultsOf(links: Link[]): number[] {
  const fits = ({ body, bodyHash, previous, hash }: Link, i: number) =>
    previous === (links[i - 1]?.hash ?? null) &&
    sha256(Buffer.from(previous ?? chainOrigin, 'hex'), Buffer.from(bodyHash, 'hex')).toString('hex') ===
      hash &&
    (body === null || sha256(body).toString('hex') === bodyHash)
  return links.filter((link, i) => !fits(link, i)).map(({ number }) => number)
}

type JsonPath = (string | number)[]

/** Where the values of a text stand, one path for each. */
function leavesOf(value: unknown, at: JsonPath = []): JsonPath[] {
  if (typeof value !== 'object' || value === null) return [at]
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part, [...at, key]))
}

function forge(body: object, place: JsonPath): void {
  const holder = place.slice(0, -1).reduce<unknown>((part, key) => Reflect.get(Object(part), key), body)
  const key = place.at(-1) ?? ''
  const before: unknown = Reflect.get(Object(holder), key)
  const after =
    typeof before === 'number'
      ? before + 1
      : typeof before === 'boolean'
        ? !before
        : before === null
          ? 'x'
          : `${JSON.stringify(before)}x`
  Reflect.set(Object(holder), key, after)
}

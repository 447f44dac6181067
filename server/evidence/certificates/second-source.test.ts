import { randomUUID, verify } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { canonical } from '#contract/platform/text/canonical.ts'
import {
  certificateFormat,
  sealedText,
  sealMark,
  signedText,
  type CertificateFile,
} from '#contract/evidence/certificate-format.ts'
import { issueCertificate } from '#contract/evidence/certificates.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import { isGenuine, publicKeyOf, sha256 } from '#server/testing/viewing/certificates.ts'
import { addMedia, addViewer, fetchSegment, servedTo } from '#server/testing/viewing/served.ts'
import type { Person } from '#server/testing/server.ts'
import { sent, writeLog } from '#server/testing/viewing/viewers.ts'
import { durationMs, watched } from '#server/testing/viewing/watched.ts'
import { unionOf } from '../../tracking/credit.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, anOrganization, setPolicies } from '#server/testing/worlds.ts'
import { certificateSigner } from './issue.ts'

const server = await aServer()

let orgId: string
let admin: Person
let viewer: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Köhler & Söhne'))
  viewer = await server.person(null, orgId)
})

const watch = (parts: Parameters<typeof watched>[2]) => watched(server, { orgId, userId: viewer.id }, parts)

const issue = (videoId: string, userId = viewer.id) =>
  admin.call(issueCertificate, { params: { orgId, userId }, body: { videoId } })

function download(certificateId: string, format: 'json' | 'pdf', userId = viewer.id) {
  const url = `/api/organizations/${orgId}/users/${userId}/certificates/${certificateId}/file?format=${format}`
  return server.app.inject({ url, headers: { authorization: `Bearer ${admin.token}` } })
}

async function fileOf(certificateId: string, userId = viewer.id): Promise<CertificateFile> {
  return (await download(certificateId, 'json', userId)).json()
}

describe('the second source', () => {
  async function watchedSo(fetched: number[], spans: [number, number][], isRecorded = true) {
    const video = await addMedia(server, orgId)
    const { userId, open } = await addViewer(server, orgId, video)
    const { claims, hls } = await open()
    const { run: _run, ...unrecorded } = claims
    for (const index of fetched) await fetchSegment(server, { hls, index })
    const rows = spans.map(([from, to], i): Span => [i, from, to, to - from, 100, 0])
    await writeLog(server, [sent(isRecorded ? claims : unrecorded, { at: 60_000, spans: rows })])
    await aggregateOnce(server.services.db)
    const wanted = fetched.map((index): [number, number] => [index * 6_000, (index + 1) * 6_000])
    await expect.poll(() => servedTo(server, claims.session), { timeout: 15_000 }).toEqual(unionOf(wanted))
    return { session: claims.session, issue: () => issue(video.videoId, userId), userId }
  }

  async function seen(...how: Parameters<typeof watchedSo>) {
    const { issue: ask, userId } = await watchedSo(...how)
    const file = await fileOf((await ask()).body.id, userId)
    expect(await isGenuine(server, file)).toBe(true)
    return file
  }

  const aMinuteAgo = (session: string) =>
    server.services.db.system.query(
      `update play_sessions set last_at = now() - interval '1 minute' where id = $1`,
      [session],
    )

  it('is stated for each part, with its reason, and signed with the rest', async () => {
    const { format, body } = await seen([0, 1, 2], [[0, 17_000]])
    expect(format).toBe(certificateFormat)
    expect(body.viewing?.secondSource).toEqual({
      state: 'proven',
      parts: [{ fromMs: 0, toMs: 17_000, state: 'proven', reason: 'handed_out' }],
    })
    expect(body.viewing?.sessions[0]?.secondSource).toEqual({
      state: 'proven',
      reason: 'handed_out',
      handedOut: [[0, 18_000]],
    })
  })

  it('says where the server kept no record', async () => {
    const unrecorded = await seen([], [[0, 17_000]], false)
    expect(unrecorded.body.viewing?.secondSource).toEqual({
      state: 'likely',
      parts: [{ fromMs: 0, toMs: 17_000, state: 'likely', reason: 'no_record' }],
    })
  })

  it('lets nothing be certified that was never handed out, or is still being checked', async () => {
    const { session, issue: ask } = await watchedSo([0], [[0, 40_000]])
    expect(await ask()).toMatchObject({ status: 409, problem: { code: 'evidence_pending', retryAfter: 15 } })
    await aMinuteAgo(session)
    expect(await ask()).toMatchObject({ status: 409, problem: { code: 'evidence_too_weak' } })
  })

  it('is as good as the organization asks for', async () => {
    await setPolicies(server, orgId, { certificateEvidence: 'proven' })
    const unrecorded = await watchedSo([], [[0, 17_000]], false)
    expect(await unrecorded.issue()).toMatchObject({ status: 409, problem: { code: 'evidence_too_weak' } })
    expect((await seen([0, 1, 2], [[0, 17_000]])).body.viewing?.secondSource?.state).toBe('proven')
  })

  it('is a reason for another certificate when more of it is known', async () => {
    const { videoId } = await watch([[0, durationMs]])
    const first = (await issue(videoId)).body
    expect((await issue(videoId)).body.number).toBe(first.number)
    await server.query(
      `insert into served_parts (session_id, organization_id, video_id, version_id, viewer_key, parts, first_at, last_at)
        select id, organization_id, video_id, version_id, viewer_key, '{[0,6000)}', started_at, last_at
        from play_sessions where video_id = $1`,
      [videoId],
    )
    const second = (await issue(videoId)).body
    expect(second.number).toBe(first.number + 1)
    expect((await fileOf(second.id)).body.viewing?.secondSource?.state).toBe('proven')
  })
})

describe('a certificate of the first format', () => {
  it('is handed out as it was signed, as JSON and as PDF, and the next one follows it', async () => {
    const { videoId } = await watch([[0, durationMs]])
    const present = await fileOf((await issue(videoId)).body.id)
    const body = { ...structuredClone(present.body), id: randomUUID(), number: 2, previous: present.hash }
    delete body.viewing?.secondSource
    for (const session of body.viewing?.sessions ?? []) delete session.secondSource
    const text = canonical(body)
    const hash = sha256(Buffer.from(body.previous, 'hex'), sha256(text)).toString('hex')
    const first = { format: 'sendreel-certificate-1', hash } as const
    const signature = certificateSigner(server.services.keys).sign(signedText(first)).toString('hex')
    const bytes = sha256(text).toString('hex')
    await server.query(
      `insert into certificates (id, organization_id, number, user_id, video_id, version_id, issued_at, body, body_hash, previous_hash, hash, key_id, signature)
        values ($1, $2, 2, $3, $4, $5, $6, $7, decode($8, 'hex'), decode($12, 'hex'), decode($9, 'hex'), $10, decode($11, 'hex'))`,
      [
        body.id,
        orgId,
        viewer.id,
        videoId,
        body.video.versionId,
        body.issuedAt,
        text,
        bytes,
        hash,
        present.keyId,
        signature,
        present.hash,
      ],
    )
    const old = await fileOf(body.id)
    expect(old).toMatchObject(first)
    expect(await isGenuine(server, old)).toBe(true)
    const pdf = (await download(body.id, 'pdf')).rawPayload
    expect(pdf.includes(`stream\n${canonical(old)}\nendstream`)).toBe(true)
    const at = pdf.lastIndexOf(sealMark)
    const sealed = Buffer.from(sealedText(old, sha256(pdf.subarray(0, at)).toString('hex')))
    const seal = Buffer.from(pdf.toString('latin1', at + sealMark.length).trim(), 'base64url')
    expect(verify(null, sealed, await publicKeyOf(server), seal)).toBe(true)
    const next = await fileOf((await issue(videoId)).body.id)
    expect(next.body).toMatchObject({ number: 3, previous: old.hash })
    expect(next.format).toBe(certificateFormat)
  })
})

import { expect } from 'vitest'
import { createVideo } from '#contract/videos/videos.ts'
import type { VersionKey } from '../platform/storage/keys.ts'
import type { Person, TestServer } from './server.ts'

/** A video of which so many bytes are to come, and where to. */
export async function announceVideo(
  admin: Person,
  size: number,
  title = 'Clip',
): Promise<{ key: VersionKey; uploadUrl: string }> {
  const body = { title, fileName: 'clip.mp4', size }
  const { video, uploadUrl } = (await admin.call(createVideo, { body })).body
  const { organizationId, id: videoId, versionId } = video
  return { key: { organizationId, videoId, versionId: versionId ?? '' }, uploadUrl }
}

/** Sends what comes from that offset on to a server, by hand. */
export function sendPart(
  { app }: TestServer,
  { token }: Person,
  { url, offset, bytes }: { url: string; offset: number; bytes: Buffer },
) {
  const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
  return app.inject({ method: 'PATCH', url, headers: { ...tus(token), ...headers }, payload: bytes })
}

/** How much of an upload a server says it has. */
export async function offsetOf({ app }: TestServer, { token }: Person, url: string): Promise<number> {
  const answer = await app.inject({ method: 'HEAD', url, headers: tus(token) })
  return Number(answer.headers['upload-offset'])
}

const tus = (token: string) => ({ authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' })

/** The key of a video of which every byte has arrived. */
export async function uploadVideo(
  server: TestServer,
  admin: Person,
  { bytes, title }: { bytes: Buffer; title?: string },
): Promise<VersionKey> {
  const { key, uploadUrl } = await announceVideo(admin, bytes.length, title)
  const answer = await sendPart(server, admin, { url: uploadUrl, offset: 0, bytes })
  expect(answer.statusCode).toBe(204)
  return key
}

import { expect } from 'vitest'
import { createVideo } from '#contract/videos/videos.ts'
import type { Person, TestServer } from './server.ts'

/** The key of a video of which every byte has arrived. */
export async function uploadVideo(
  { app }: TestServer,
  admin: Person,
  { bytes, title = 'Clip' }: { bytes: Buffer; title?: string },
) {
  const body = { title, fileName: 'clip.mp4', size: bytes.length }
  const { video, uploadUrl } = (await admin.call(createVideo, { body })).body
  const answer = await app.inject({
    method: 'PATCH',
    url: uploadUrl,
    headers: {
      authorization: `Bearer ${admin.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    payload: bytes,
  })
  expect(answer.statusCode).toBe(204)
  return { organizationId: video.organizationId, videoId: video.id, versionId: video.versionId ?? '' }
}

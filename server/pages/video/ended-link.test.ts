import { expect, test } from 'vitest'
import { revokeLink } from '#contract/transmissions/links.ts'
import { addMedia, addViewer, fetchSegment } from '#server/testing/viewing/served.ts'
import { batchOf } from '#server/testing/viewing/viewing.ts'
import { aServer, anOrganization } from '#server/testing/worlds.ts'

const server = await aServer()

test('a page that is open plays nothing more once its link is taken back or its person disabled', async () => {
  const { orgId: org, admin } = await anOrganization(server)
  const video = await addMedia(server, org)
  const opened = async () => {
    const viewer = await addViewer(server, org, video)
    return { ...viewer, ...(await viewer.open()) }
  }
  const [revoked, disabled, other] = [await opened(), await opened(), await opened()]
  type Opened = typeof other
  let batch = 0
  /** What the page gets for a segment, and for what it reports. */
  const answers = async ({ hls, playToken }: Opened) => {
    const report = { body: batchOf({ playToken, batch: (batch += 1) }) }
    const said = await server.send('POST', '/api/tracks', report)
    const segment = await fetchSegment(server, { hls, index: batch % 10 })
    return [segment.status, said.status, (said.body as { code?: string }).code]
  }
  const fine = [200, 200, undefined]
  for (const one of [revoked, disabled, other]) expect(await answers(one)).toEqual(fine)
  const { transmission: transmissionId = '', delivery: deliveryId = '' } = revoked.claims
  const taken = { params: { transmissionId, deliveryId }, body: { reason: 'It was passed on.' } }
  expect((await admin.call(revokeLink, taken)).status).toBe(200)
  await server.query(`update users set state = 'disabled' where id = $1`, [disabled.userId])
  for (const one of [revoked, disabled]) expect(await answers(one)).toEqual([410, 410, 'link_ended'])
  expect(await answers(other)).toEqual(fine)
  const playlist = await server.app.inject(revoked.hls)
  expect(playlist.statusCode).toBe(410)
})

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  readOrganization,
  updateOrganizationSettings,
  type Policies,
} from '#contract/directory/organizations.ts'
import type { Person } from '../../testing/server.ts'
import { addDelivery, addVideo, openPage, report } from '../../testing/viewing/viewing.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()
const { query } = server

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

async function sentVideo(policies: Partial<Policies>) {
  const { orgId, admin } = await anOrganization(server)
  await setPolicies(admin, orgId, policies)
  const { id: userId } = await server.person(null, orgId)
  const video = await addVideo(server, { organizationId: orgId })
  const { secret } = await addDelivery(server, { organizationId: orgId, ...video, userId })
  return { orgId, admin, userId, ...video, address: `/w/video/${video.videoId}?d=${secret}` }
}

async function setPolicies(admin: Person, orgId: string, policies: Partial<Policies>) {
  const { name } = (await admin.call(readOrganization, { params: { orgId } })).body
  const changed = await admin.call(updateOrganizationSettings, {
    params: { orgId },
    body: { name, policies },
  })
  expect(changed.status).toBe(200)
}

const text = 'We record <b>what</b> you watch.\n\nAsk the works council & your manager.'

test('the text stands above the player, as plain text with its lines, together with what is recorded', async () => {
  const { address } = await sentVideo({ consentText: text })
  const { html } = await openPage(server, address)
  const consent = /<section class="consent"[^>]*>([^]*?)<\/section>/.exec(html)?.[1] ?? ''
  expect(consent).toContain(
    'We record &lt;b&gt;what&lt;/b&gt; you watch.\n\nAsk the works council &amp; your manager.',
  )
  expect(consent).toContain('can see which parts of this video have been watched')
  expect(html.indexOf('class="consent"')).toBeLessThan(html.indexOf('id="start"'))
  expect(html.match(/can see/g)).toHaveLength(1)
})

test('without a text the page says below the player what is recorded, and it is true', async () => {
  const full = await sentVideo({})
  expect((await openPage(server, full.address)).html).toContain(
    'can see which parts of this video have been watched',
  )
  expect((await openPage(server, full.address)).html).not.toContain('class="consent"')
  const { address } = await sentVideo({ trackingMode: 'completed_only' })
  const { html } = await openPage(server, address)
  expect(html).toContain('whether this video was completed, and on which day, and nothing else')
  expect(html).not.toContain('which parts')
})

test('with the first play it is kept which text somebody had before them; a new one is another', async () => {
  const { orgId, admin, userId, videoId, address } = await sentVideo({ consentText: text })
  const play = async () => {
    const playToken = (await openPage(server, address)).data?.playToken ?? ''
    await report(server, { playToken, elapsedMs: 0, events: [[0, 'impression', 0, 0, null]] })
    const shown = await logOf()
    await report(server, { playToken, batch: 1, elapsedMs: 2_000, spans: [[0, 0, 2_000, 2_000, 100, 0]] })
    await aggregateOnce(server.services.db)
    return shown
  }
  const logOf = async () => {
    await aggregateOnce(server.services.db)
    return query<{ text: string; first_at: Date }>(
      `select t.text, c.first_at from consents c join consent_texts t using (organization_id, hash)
        where c.organization_id = $1 and c.viewer_key = 'recipient:' || $2 order by t.since`,
      [orgId, userId],
    )
  }
  expect(await play()).toEqual([])
  expect((await logOf()).map((one) => one.text)).toEqual([text])
  expect((await logOf())[0]?.first_at.toISOString()).toMatch(/T00:00:00\.000Z$/)
  await setPolicies(admin, orgId, { consentText: 'Another text' })
  await play()
  await play()
  expect((await logOf()).map((one) => one.text)).toEqual([text, 'Another text'])
  const visit = (await openPage(server, `/w/video/${videoId}`)).data?.playToken ?? ''
  await report(server, { playToken: visit, elapsedMs: 2_000, spans: [[0, 0, 2_000, 2_000, 100, 0]] })
  expect(await logOf()).toHaveLength(2)
})

test('every text stays, by the hash that the tokens name', async () => {
  const { orgId, admin } = await sentVideo({ consentText: text })
  await setPolicies(admin, orgId, { consentText: null })
  expect(await query('select hash, text from consent_texts where organization_id = $1', [orgId])).toEqual([
    { hash: hashOf(text), text },
  ])
})

import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { grounds } from '#contract/platform/colors.ts'
import { readMediaToken } from '#server/platform/http/pages/media-link.ts'
import { randomToken } from '#server/platform/keys.ts'
import { draft, publish, question } from '#server/testing/quizzes/quizzes.ts'
import { addDelivery, addVideo, openPage, report } from '#server/testing/viewing/viewing.ts'
import { openTestServer } from '#server/testing/server.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, setPolicies } from '#server/testing/worlds.ts'
import { readPlay, type PlayClaims } from '#server/tracking/ingest/token.ts'

const server = await aServer()

let organizationId: string
let userId: string
beforeEach(async () => {
  organizationId = await server.organization('Köhler & Söhne')
  userId = (await server.person(null, organizationId)).id
})

function claimsOf(playToken: string | undefined): PlayClaims {
  const claims = readPlay(server.services.keys, playToken ?? '')
  if (typeof claims === 'string') throw new Error(claims)
  return claims
}

async function sentVideo(privacy = 'private') {
  const ids = await addVideo(server, { organizationId, privacy })
  const delivery = await addDelivery(server, { organizationId, userId, ...ids })
  return { ...ids, ...delivery, path: `/w/video/${ids.videoId}?d=${delivery.secret}` }
}

describe('the video page', () => {
  it('carries the logo of the organization, in its own size and with its name', async () => {
    const { path } = await sentVideo()
    expect((await openPage(server, path)).html).not.toContain('<img')
    await server.query(
      `with p as (insert into pictures (key, organization_id, type, data, width, height)
        values ('AAAAAAAAAAAAAAAAAAAAAA', $1, 'image/webp', '', 320, 107) returning key)
        update organizations set logo = p.key from p where id = $1`,
      [organizationId],
    )
    expect((await openPage(server, path)).html).toContain(
      '<img class="logo" src="/api/pictures/AAAAAAAAAAAAAAAAAAAAAA" width="320" height="107" alt="Köhler &amp; Söhne">',
    )
  })

  it('shows what is said of the video, with its lines and addresses, and nothing of it as HTML', async () => {
    const { path, videoId } = await sentVideo()
    expect((await openPage(server, path)).html).not.toContain('id="about"')
    await server.query('update videos set description = $2 where id = $1', [
      videoId,
      'Read <b>this</b> & that:\nhttps://example.org/a?b=1&c="2", or javascript:alert(1), ftp://x.y\nmailto:ada@example.org',
    ])
    const { html } = await openPage(server, path)
    const rel = 'target="_blank" rel="noopener nofollow"'
    expect(html).toContain(
      `<p dir="auto">Read &lt;b&gt;this&lt;/b&gt; &amp; that:\n<a href="https://example.org/a?b=1&amp;c=&quot;2&quot;" ${rel}>https://example.org/a?b=1&amp;c=&quot;2&quot;</a>, or javascript:alert(1), ftp://x.y\n<a href="mailto:ada@example.org" ${rel}>mailto:ada@example.org</a></p>`,
    )
  })

  it('opens with a personal link, in the version that was sent, for this recipient', async () => {
    const { path, videoId, versionId, transmissionId, deliveryId } = await sentVideo()
    await server.query('update videos set current_version_id = null where id = $1', [videoId])
    const page = await openPage(server, path)
    expect(page.status).toBe(200)
    expect(page.html).toContain('<b>Köhler &amp; Söhne</b>')
    expect(page.html).toContain('<b>Ada Sender</b>')
    expect(page.html).toContain('Ada Sender and Köhler &amp; Söhne can see')
    expect(claimsOf(page.data?.playToken)).toMatchObject({
      org: organizationId,
      video: videoId,
      version: versionId,
      durMs: 60_000,
      transmission: transmissionId,
      delivery: deliveryId,
      viewerKey: `recipient:${userId}`,
      kind: 'recipient',
      maxRate: 2,
      theta: 0.95,
    })
    const [, , token = '', video = '', version = '', file] = page.data?.hls.split('/') ?? []
    expect(file).toBe('master.m3u8')
    const request = { token, videoId: video, versionId: version }
    expect(readMediaToken(server.services.keys, request)).toMatchObject({
      organizationId,
      videoId,
      versionId,
    })
  })

  it('speaks the language of the person, else of their organization, and of strangers that of their browser', async () => {
    const { path, videoId } = await sentVideo('link')
    const query = (text: string, values: string[]) => server.services.db.system.query(text, values)
    const languageOf = async (address: string, accepted = 'fr') => {
      const { html } = await openPage(server, address, { 'accept-language': accepted })
      const words = JSON.parse(/id="words">([^<]*)</.exec(html)?.[1] ?? '{}') as { locale?: string }
      expect(html).toContain(`<html lang="${words.locale}">`)
      return words.locale?.slice(0, 2)
    }
    expect(await languageOf(path, 'de')).toBe('en')
    await query("update organizations set language = 'de' where id = $1", [organizationId])
    expect(await languageOf(path, 'en')).toBe('de')
    expect(await languageOf(`/w/video/${videoId}`, 'en')).toBe('en')
    expect(await languageOf(`/w/video/${videoId}`)).toBe('de')
    await query("update users set language = 'en' where id = $1", [userId])
    expect(await languageOf(path)).toBe('en')
    expect(await languageOf(`${path}&language=de`)).toBe('de')
    expect(await languageOf(`${path}&language=tlh`)).toBe('en')
    const cookie = 'video-language=de'
    expect((await openPage(server, `${path}&language=de`)).headers['set-cookie']).toContain(
      `${cookie}; Path=/w/`,
    )
    expect((await openPage(server, path, { cookie })).html).toContain(
      `${path.split('?')[1]}&amp;language=en" hreflang="en"`,
    )
    expect((await openPage(server, path, { cookie })).html).toContain(
      'können sehen, welche Teile dieses Videos angesehen wurden',
    )
    const wrong = await openPage(server, '/w/video/nothing', { 'accept-language': 'de' })
    expect(wrong.html).toContain('Dieses Video gibt es nicht')
  })

  it('continues where this recipient stopped', async () => {
    const { path } = await sentVideo()
    const first = await openPage(server, path)
    expect(first.data).toMatchObject({ position: 0 })
    await report(server, {
      playToken: first.data?.playToken ?? '',
      elapsedMs: 3_000,
      spans: [[0, 0, 3_000, 3_000, 100, 0]],
      position: 3_000,
    })
    await aggregateOnce(server.services.db)
    expect((await openPage(server, path)).data).toMatchObject({ position: 3_000 })
  })

  it('says where the video asks something, and nothing of what', async () => {
    const { path, videoId } = await sentVideo()
    expect((await openPage(server, path)).data).not.toHaveProperty('quiz')
    const author = await server.person('admin', organizationId)
    const questions = [question({ atMs: null }), question({ atMs: 9_000, gate: true, prompt: 'Is it red?' })]
    const { id } = await publish(author, videoId, draft(questions))
    const { html, data } = await openPage(server, path)
    expect(data).toMatchObject({
      quiz: {
        id,
        stops: [
          { atMs: 9_000, gate: true },
          { atMs: null, gate: false },
        ],
      },
    })
    expect(html).not.toContain('Is it red?')
    expect(html).toContain('and how its questions are answered.')
    await setPolicies(server, organizationId, { trackingMode: 'completed_only' })
    expect((await openPage(server, path)).data).not.toHaveProperty('quiz')
  })

  it('is not opened by being fetched, only by being seen', async () => {
    const { path, deliveryId } = await sentVideo()
    const opened = async () => {
      await aggregateOnce(server.services.db)
      const text = 'select opened_at from delivery_viewing where delivery_id = $1'
      return (await server.query<{ opened_at: Date }>(text, [deliveryId]))[0]?.opened_at
    }
    const page = await openPage(server, path)
    await openPage(server, path, { 'sec-purpose': 'prefetch' })
    await server.app.inject({ method: 'HEAD', url: path })
    expect(await opened()).toBeUndefined()
    const playToken = page.data?.playToken ?? ''
    await report(server, { playToken, elapsedMs: 1_100, events: [[0, 'impression', 1_000, 0, null]] })
    expect(await opened()).toBeInstanceOf(Date)
  })

  it.each([
    ['public', 200],
    ['link', 200],
    ['organization', 403],
    ['private', 403],
  ])('without a link, %s means %i', async (privacy, status) => {
    const { videoId } = await sentVideo(privacy)
    const page = await openPage(server, `/w/video/${videoId}`)
    expect(page.status).toBe(status)
    expect(page.html.includes('needs your personal link')).toBe(status === 403)
    expect(page.data === undefined).toBe(status === 403)
  })

  it('knows a visitor by the session alone', async () => {
    const { videoId } = await sentVideo('public')
    const [first, second] = [
      await openPage(server, `/w/video/${videoId}`),
      await openPage(server, `/w/video/${videoId}?d=${randomToken()}`),
    ].map((page) => claimsOf(page.data?.playToken))
    expect(first).toMatchObject({ kind: 'visitor', viewerKey: `visitor:${first?.session}` })
    expect(first).not.toHaveProperty('delivery')
    expect(second?.viewerKey).not.toBe(first?.viewerKey)
  })

  it('gives nothing for a wrong link, a link to another video, or the same id with another organization', async () => {
    const [mine, other] = [await sentVideo(), await sentVideo()]
    const foreign = await server.organization()
    const theirs = await addVideo(server, { organizationId: foreign, privacy: 'private' })
    for (const [id, secret] of [
      [mine.videoId, randomToken()],
      [mine.videoId, other.secret],
      [mine.videoId, 'short'],
      [mine.videoId, `${mine.secret}x`],
      [theirs.videoId, mine.secret],
    ]) {
      const page = await openPage(server, `/w/video/${id}?d=${secret}`)
      expect(page.status).toBe(403)
      expect(page.data).toBeUndefined()
    }
  })

  it.each(['/w/video/01a1fb61-294e-77f8-820a-784f2c67ba0b', '/w/video/nothing', '/w/video/%00'])(
    'says that %s does not exist',
    async (path) => {
      const page = await openPage(server, path)
      expect(page.status).toBe(404)
      expect(page.html).toContain('<h1>This video does not exist</h1>')
    },
  )

  it.each([
    ['deleted video', 'update videos set deleted_at = now() where id = $1', 404],
    [
      'suspended organization',
      `update organizations set state = 'suspended' where id = (select organization_id from videos where id = $1)`,
      404,
    ],
    ['archived video', `update videos set state = 'archived' where id = $1`, 410],
  ])('closes with a %s', async (_what, change, status) => {
    const { videoId, path } = await sentVideo()
    await server.query(change, [videoId])
    expect((await openPage(server, path)).status).toBe(status)
  })

  it('waits for a video that is being prepared, and says when it cannot be', async () => {
    const { videoId } = await addVideo(server, { organizationId, state: 'processing', ready: false })
    const waiting = await openPage(server, `/w/video/${videoId}`)
    expect(waiting.status).toBe(503)
    expect(waiting.headers['retry-after']).toBe('10')
    expect(waiting.html).toContain('<meta http-equiv="refresh" content="10">')
    await server.query(`update videos set state = 'failed' where id = $1`, [videoId])
    expect((await openPage(server, `/w/video/${videoId}`)).status).toBe(409)
  })

  it('tells nobody else: strict policy, no storing, no referrer, no search engine', async () => {
    const { path } = await sentVideo()
    const { headers, html } = await openPage(server, path)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'content-type': 'text/html; charset=utf-8',
    })
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toContain('http')
    expect(html).not.toMatch(/ style=| on\w+=|https?:/)
  })

  it('wears the color of its organization, and a policy that allows just that style', async () => {
    const { path } = await sentVideo()
    await server.query(`update organizations set accent_color = '#8a1f4d' where id = $1`, [organizationId])
    const { html, headers } = await openPage(server, path)
    const [, style = ''] = /<style>([^<]+)<\/style>/.exec(html) ?? []
    expect(style).toContain('--org:#8a1f4d')
    // All else is that of the house.
    expect(style).toContain(`--page:${grounds.light['c-body']};`)
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`)
  })

  it('is small, and asks for no media before the press on play', async () => {
    const { path } = await sentVideo()
    const { html } = await openPage(server, path)
    // With the sender's words, the band of the organization, what its scripts say in the page's language, and their names as built.
    expect(brotliCompressSync(html).length).toBeLessThan(4_900)
    expect(html).toMatch(/<video [^>]*controls playsinline preload="none"/)
    expect(html).not.toMatch(/<video[^>]* src=|<source|autoplay/)
    expect(html).toContain('<html lang="en-US">')
    expect(html).toContain('<noscript>')
  })

  it('shows titles as text, whatever they contain', async () => {
    const title = `</script><img src=x onerror="alert(1)"> & 'more'`
    const { videoId } = await addVideo(server, { organizationId, title, privacy: 'public' })
    const { html, data } = await openPage(server, `/w/video/${videoId}`)
    expect(html).not.toContain('<img')
    expect(html).toContain(
      '&lt;/script&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;more&#39;',
    )
    expect(data?.playToken).toBeDefined()
  })

  it('limits new visitors per network and video at all processes together, never recipients', async () => {
    const { videoId, path } = await sentVideo('public')
    const { ownerUrl, services } = server
    const beside = await openTestServer({ ownerUrl, dataDir: services.env.dataDir })
    const statuses = []
    for (let n = 0; n < 32; n++)
      statuses.push((await openPage(n % 2 === 0 ? server : beside, `/w/video/${videoId}`)).status)
    await beside.close()
    expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 200))
    expect(statuses.slice(30)).toEqual([429, 429])
    const refused = await openPage(server, `/w/video/${videoId}`)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await openPage(server, path)).status).toBe(200)
  })
})

import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createVideo } from '#contract/videos/videos.ts'
import { addVideo } from '../../testing/viewing/viewing.ts'
import { aServer } from '../../testing/worlds.ts'
import { pagePolicy, policyText, videoPagePolicy } from './headers.ts'
import { mediaPath, signMedia } from './pages/media-link.ts'

const server = await aServer({ PUBLIC_URL: 'https://films.test' })

type Headers = Record<string, unknown>

async function headersOf(url: string, accept = '*/*'): Promise<Headers> {
  return (await server.app.inject({ url, headers: { accept } })).headers
}

/** The directives of an answer by their names. */
function directives(headers: Headers): Record<string, string> {
  const text = String(headers['content-security-policy'])
  return Object.fromEntries(
    text.split('; ').map((one) => [one.split(' ')[0] ?? '', one.split(' ').slice(1).join(' ')]),
  )
}

/** A page of the built web app, or, where it has not been built, one that only the server writes. */
async function videoPage(): Promise<string> {
  const { videoId } = await addVideo(server, { organizationId: await server.organization() })
  return `/w/video/${videoId}`
}

/** What is text names its letters. */
const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-type': expect.stringMatching(
    /^(application\/json; charset=utf-8|application\/problem\+json|text\/html; charset=utf-8)/,
  ) as string,
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
}

test('every answer says what it is, keeps to its origin, and demands an encrypted line', async () => {
  const { videoId, versionId } = await addVideo(server, { organizationId: await server.organization() })
  const media = mediaPath('no-token', { videoId, versionId }, 'master.m3u8')
  for (const url of [
    '/api/health',
    '/api/auth/session',
    '/api/nothing',
    media,
    await videoPage(),
    '/nowhere.js',
  ])
    expect(await headersOf(url), url).toMatchObject(everywhere)
})

test('what the API answers is kept by no browser and no proxy, and sets no cookie', async () => {
  const person = await server.person('admin', await server.organization())
  for (const url of ['/api/auth/session', '/api/organizations', '/api/config']) {
    const { headers } = await person.send('GET', url)
    expect(headers['cache-control'], url).toBe('no-store')
    expect(headers['set-cookie'], url).toBeUndefined()
  }
})

test('no answer lets another origin read it', async () => {
  const person = await server.person('admin', await server.organization())
  const { body } = await person.call(createVideo, { body: { title: 'Clip', fileName: 'clip.mp4', size: 10 } })
  const origin = 'https://elsewhere.test'
  const tus = { authorization: `Bearer ${person.token}`, 'tus-resumable': '1.0.0', origin }
  const asked = {
    ...tus,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization',
  }
  const patch = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  const answers = [
    await server.app.inject({ url: '/api/auth/session', headers: tus }),
    await server.app.inject({ method: 'OPTIONS', url: body.uploadUrl, headers: asked }),
    await server.app.inject({ method: 'HEAD', url: body.uploadUrl, headers: tus }),
    await server.app.inject({
      method: 'PATCH',
      url: body.uploadUrl,
      headers: patch,
      payload: Buffer.from('1'),
    }),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 204, 200, 204])
  const { 'content-type': _none, ...bare } = everywhere
  for (const { headers } of answers) {
    expect(headers).toMatchObject(bare)
    expect(headers['access-control-allow-origin']).toBeUndefined()
  }
})

test('what is no page may do nothing when it is opened by itself, and stands in no frame', async () => {
  const organizationId = await server.organization()
  const { videoId, versionId } = await addVideo(server, { organizationId })
  const token = signMedia(server.services.keys, { organizationId, videoId, versionId, seconds: 60 })
  const media = mediaPath(token, { videoId, versionId }, 'poster.jpg')
  for (const url of ['/api/health', '/api/openapi.json', '/api/uploads/nothing', '/api/nothing', media])
    expect(directives(await headersOf(url)), url).toEqual({
      'default-src': "'none'",
      'object-src': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    })
})

test('every page closes objects, its base and frames, the one that verifies certificates too', async () => {
  for (const url of [await videoPage(), '/verify'])
    expect(directives(await headersOf(url, 'text/html')), url).toMatchObject({
      'object-src': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    })
})

test('what lies among the files of a video is handed out as what it may be, and is run by nobody', async () => {
  const organizationId = await server.organization()
  const { videoId, versionId } = await addVideo(server, { organizationId })
  const folder = path.join(server.services.env.dataDir, 'media', organizationId, videoId, versionId)
  await mkdir(folder, { recursive: true })
  const script = '<script>alert(1)</script><?php echo getenv("PATH");'
  const names = ['page.html', 'page.svg', 'run.js', 'run.php', 'run.mjs', 'run', 'poster.jpg']
  for (const name of names) await writeFile(path.join(folder, name), script)
  const token = signMedia(server.services.keys, { organizationId, videoId, versionId, seconds: 60 })
  const get = (name: string) => server.app.inject({ url: mediaPath(token, { videoId, versionId }, name) })
  for (const name of names.slice(0, -1)) expect((await get(name)).statusCode, name).toBe(404)
  const shown = await get('poster.jpg')
  expect(shown.body).toBe(script)
  expect(shown.headers).toMatchObject({
    'content-type': 'image/jpeg',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("default-src 'none'") as string,
  })
})

test('the policy of pages lets only our own scripts run and no text become one', () => {
  expect(pagePolicy).toMatchObject({
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'connect-src': ["'self'"],
    'object-src': ["'none'"],
    'worker-src': ["'none'"],
    'frame-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ['default'],
  })
  const { 'style-src': styles, ...rest } = pagePolicy
  expect(styles).toEqual(["'self'", "'unsafe-inline'"])
  expect(
    Object.values(rest)
      .flat()
      .filter((source) => /unsafe|\*|http/.test(source)),
  ).toEqual([])
  expect(policyText(pagePolicy, { 'script-src': ["'sha256-a'"] })).toContain(
    "; script-src 'self' 'sha256-a'; ",
  )
})

test('the video page is stricter still: it names its style by hash and writes no HTML', async () => {
  const headers = await headersOf(await videoPage())
  const { 'style-src': styles, ...rest } = directives(headers)
  expect(styles).toMatch(/^'sha256-[\w+/]{43}='$/)
  const { 'style-src': _own, ...wanted } = videoPagePolicy
  expect(rest).toEqual(
    Object.fromEntries(Object.entries(wanted).map(([name, text]) => [name, text.join(' ')])),
  )
  expect(rest['trusted-types']).toBe("'none'")
})

test('pages share no window with others and ask for no camera, microphone, screen or place', async () => {
  const headers = await headersOf(await videoPage(), 'text/html')
  expect(headers).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'SAMEORIGIN',
  })
  const permissions = String(headers['permissions-policy'])
  for (const feature of ['camera', 'microphone', 'display-capture', 'geolocation', 'payment', 'usb'])
    expect(permissions).toContain(`${feature}=()`)
  expect(permissions).toContain('publickey-credentials-get=(self)')
  expect(permissions).toContain('publickey-credentials-create=(self)')
})

import { expect, type BrowserContext, type Page } from '@playwright/test'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { unique } from '#server/testing/unique.ts'
import { newOrganization, type Client } from './client.ts'
import { linkTo } from './outbox.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

/** What somebody would write to take a console over. It has to be read as it stands, and never to run. */
const evil = (place: string) => `<img src=x onerror="top.taken='${place}'"> ${place}`
const names = {
  organization: evil('organization'),
  user: evil('user'),
  video: evil('video'),
  body: evil('message'),
}

type World = {
  client: Client
  ids: { organization: string; video: string; transmission: string }
  /** Path of the video page for the person who got the mail. */
  personalLink: string
}

const test = shared.extend<object, { world: World }>({
  /** The tests only read it, and the film takes its time. */
  world: [
    async ({ shared: product }, use) => {
      const { client, orgId: organization } = await newOrganization(product, names.organization)
      const email = `user-${unique()}@policy.test`
      await client.call(createUser, { params: { orgId: organization }, body: { name: names.user, email } })
      const where = { url: product.url, client, organizationId: organization }
      const video = await readyVideo(where, { seconds: 6, width: 320 })
      await client.call(updateVideo, { params: { videoId: video }, body: { title: names.video } })
      const audience = { everyone: true, userIds: [], groupIds: [] }
      const message = { body: names.body, videoId: video, accountId: organization, audience }
      const { id: transmission } = await client.call(createTransmission, { body: message })
      const ids = { organization, video, transmission }
      await use({ client, ids, personalLink: await linkTo(client, email) })
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

/** What went wrong in all pages of a browser: refusals of the policy, errors of the console, requests to others. */
async function listen(context: BrowserContext, ownUrl: string): Promise<string[]> {
  const heard: string[] = []
  await context.exposeFunction('refused', (what: string) => heard.push(what))
  await context.addInitScript(() => {
    const { refused } = globalThis as unknown as { refused: (what: string) => void }
    document.addEventListener('securitypolicyviolation', (event) =>
      refused(`refused: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    )
  })
  context.on('console', (message) => {
    // This test's own listener is kept from running in the frames of mails, and rightly so.
    const isOurs = message.text().startsWith("Blocked script execution in 'about:srcdoc'")
    if (message.type() === 'error' && !isOurs) heard.push(`error: ${message.text()}`)
  })
  context.on('weberror', (error) => heard.push(`error: ${error.error().message}`))
  context.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(`${ownUrl}/`))
      heard.push(`request: ${request.url()}`)
  })
  return heard
}

const taken = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { taken?: string }).taken ?? 'nothing')

test('every page comes with the policy: one inline script by its hash, no other, and text is never trusted', async ({
  request,
}) => {
  const addresses = [
    '/auth-1/sign-in',
    '/auth-1/sign-up',
    '/landing',
    '/error/404',
    '/no/such/page',
    '/index.html',
  ]
  for (const address of [...addresses, '/dashboard', '/organizations', '/settings']) {
    const policy = (await request.get(address)).headers()['content-security-policy'] ?? ''
    expect(policy, address).toMatch(/; script-src 'self'( 'sha256-[\w+/]{43}='){1,2}; /)
    expect(policy, address).toMatch(/; require-trusted-types-for 'script'; trusted-types default$/)
  }
})

test('public pages and the video page live with the policy, and show what people wrote as text', async ({
  page,
  shared: product,
  world,
}) => {
  const heard = await listen(page.context(), product.url)
  for (const address of ['sign-in', 'sign-up', 'reset-password', 'confirm', 'new-password']) {
    await page.goto(`/auth-1/${address}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  for (const address of ['/landing', '/error/500', '/maintenance']) {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  await page.goto(world.personalLink)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(names.video)
  await expect(page.getByText(names.organization).first()).toBeVisible()
  await page.getByRole('button', { name: /^Play:/ }).click()
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1)
  expect(await taken(page)).toBe('nothing')
  expect(heard).toEqual([])
})

test('the console lives with the policy, and shows what people wrote as text', async ({
  shared: product,
  world: { client, ids },
  open,
}) => {
  const page = await open(client)
  const heard = await listen(page.context(), product.url)
  const visit = (address: string) => page.goto(address)
  const reads = (text: string) =>
    expect(page.locator('main').getByText(text).filter({ visible: true }).first()).toBeVisible()

  await visit('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await visit('/organizations')
  await reads(names.organization)
  await visit(`/organizations/${ids.organization}/dashboard?tab=users`)
  await reads(names.user)
  await visit(`/content?organization=${ids.organization}`)
  await reads(names.video)
  await visit(`/content/${ids.video}`)
  await reads(names.video)
  expect(heard).toEqual([])
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 1)
  await page.locator('[data-player] button').first().press('k')
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1)
  await visit('/transmissions')
  await reads(names.video)
  await visit(`/transmissions/${ids.transmission}`)
  await reads(names.video)
  await reads(names.user)
  await visit(`/transmissions/create?videoId=${ids.video}`)
  await page.getByRole('textbox', { name: 'Message' }).fill(names.body)
  await expect(page.frameLocator('iframe').getByText(names.body)).toBeVisible()
  await visit('/settings?tab=outbox')
  await reads(names.body)
  await page.getByRole('button', { name: 'Formatted' }).click()
  await expect(page.frameLocator('iframe').getByText(names.body)).toBeVisible()
  expect(await taken(page)).toBe('nothing')
  expect(heard).toEqual([])
})

/** Tries to turn text into something that runs; says what the browser let happen. */
async function attack(): Promise<Record<string, string>> {
  // Commands of the test are above the policy; what a timer runs is not.
  await new Promise((resolve) => {
    setTimeout(resolve)
  })
  const tried: Record<string, string> = {}
  const attempt = (name: string, run: () => void) => {
    try {
      run()
      tried[name] = 'let through'
    } catch {
      tried[name] = 'refused'
    }
  }
  const html = '<img src=x onerror="globalThis.taken=1">'
  attempt('innerHTML', () => (document.body.innerHTML = html))
  attempt('insertAdjacentHTML', () => document.body.insertAdjacentHTML('beforeend', html))
  attempt('a document', () => new DOMParser().parseFromString(html, 'text/html'))
  attempt('a frame', () => (document.createElement('iframe').srcdoc = '<script>1</script>'))
  attempt('the text of a script', () => (document.createElement('script').text = 'globalThis.taken=1'))
  attempt('a foreign script', () => (document.createElement('script').src = 'https://elsewhere.test/a.js'))
  attempt('eval', () => void Reflect.apply(globalThis['eval' as 'escape'], null, ['globalThis.taken=1']))
  attempt('a second policy', () =>
    (
      globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): void } }
    ).trustedTypes.createPolicy('mine', { createHTML: (text: string) => text }),
  )
  const script = document.createElement('script')
  script.append('globalThis.taken=1')
  document.body.append(script)
  const handler = document.createElement('button')
  handler.setAttributeNS(null, 'type', 'button')
  attempt('a handler', () => handler.setAttribute('onclick', 'globalThis.taken=1'))
  handler.click()
  return tried
}

const refusals = {
  innerHTML: 'refused',
  insertAdjacentHTML: 'refused',
  'a document': 'refused',
  'a frame': 'refused',
  'the text of a script': 'refused',
  'a foreign script': 'refused',
  eval: 'refused',
  'a second policy': 'refused',
  'a handler': 'refused',
}

test('text that a script of the page would write never runs', async ({
  world: { client, personalLink },
  open,
}) => {
  const page = await open(client)
  for (const address of ['/auth-1/reset-password', '/dashboard', personalLink]) {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(await page.evaluate(attack), address).toEqual(refusals)
    expect(await taken(page)).toBe('nothing')
  }
})

test('what is slipped into the page itself never runs, wherever it comes from', async ({
  page: reader,
  shared: product,
  world: { client, personalLink },
  open,
}) => {
  // Whoever is signed in to the console is led on from a personal link of somebody else.
  const admin = await open(client)
  const slipped = `<script>top.taken='inline'</script><script src="https://elsewhere.test/a.js"></script>
    <base href="https://elsewhere.test/"><img src=x onerror="top.taken='handler'">
    <iframe src="https://elsewhere.test/"></iframe><object data="https://elsewhere.test/"></object>
    <a id="link" href="javascript:top.taken='link'">a</a>`
  const asked: string[] = []
  for (const page of [admin, reader]) {
    page.on('requestfinished', (request) => asked.push(request.url()))
    await page.route('https://elsewhere.test/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: `top.taken = 'foreign'` }),
    )
  }
  const pages: [Page, string][] = [
    [admin, '/auth-1/reset-password'],
    [admin, '/organizations'],
    [reader, personalLink],
  ]
  for (const [page, address] of pages) {
    await page.route(product.url + address, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace('</head>', `</head>${slipped}`) })
    })
    await page.goto(address)
    await page.locator('#link').click({ force: true })
    expect(await taken(page), address).toBe('nothing')
  }
  expect(asked.filter((url) => url.includes('elsewhere'))).toEqual([])
})

import { expect, type Page } from '@playwright/test'
import { changeUsers } from '#contract/directory/bulk.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { readOperation } from '#contract/operations.ts'
import { createEventAddress } from '#contract/events/event-addresses.ts'
import { pages } from '#contract/roles.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { createConnection, createSystemConnection } from '#contract/identity/sso.ts'
import { assigned } from './assigned.ts'
import { newOrganization, type Client } from './client.ts'
import { axeFaults, drawn, follow, wear } from './console.ts'
import type { Product } from './product.ts'
import { test as shared } from './shared.ts'
import { readyVideo } from './upload.ts'

type World = { page: Page; addresses: string[] }

/** Every protected page, loaded on a desktop and visited on a phone, and asked for everything that each of them owes. */
const test = shared.extend<{ world: World }, { things: Things }>({
  things: [
    async ({ shared: product }, use) => use(await makeThings(product)),
    { scope: 'worker', timeout: 180_000 },
  ],
  world: async ({ things: { client, ids }, open }, use) => {
    const addresses = pages.map(({ path }) =>
      path.replaceAll(/\$(\w+)/g, (_whole, name: string) => ids[name] ?? ''),
    )
    await use({ page: await open(client), addresses })
  },
})
test.use({ contextOptions: { reducedMotion: 'reduce' } })

type Things = { client: Client; ids: Record<string, string> }

/** One of everything that has a page, by the name that the addresses of pages give it. */
async function makeThings(product: Product): Promise<Things> {
  const { client, orgId } = await newOrganization(product, 'Every Page Ltd')
  const params = { orgId }
  const person = { name: 'Al', email: 'ada@pages.test' }
  const { id: userId } = await client.call(createUser, { params, body: person })
  const { id: groupId } = await client.call(createGroup, { params, body: { name: 'Engineers' } })
  const where = { url: product.url, client, organizationId: orgId }
  const videoId = await readyVideo(where, { seconds: 2, width: 320 })
  const { id: transmissionId } = await client.call(createTransmission, {
    body: { body: 'Please watch.', videoId, userId, accountId: orgId },
  })
  const { id: operationId } = await client.call(changeUsers, {
    params,
    body: { selection: { userIds: [userId] }, do: { action: 'add_to_group', groupId } },
  })
  const state = async () => (await client.call(readOperation, { params: { operationId } })).state
  await expect.poll(state).toBe('done')
  const assignmentId = await assigned(client, { orgId, videoId, userIds: [userId] })
  const { id: eventAddressId } = await client.call(createEventAddress, {
    params,
    body: { url: 'https://systems.pages.invalid/events', types: ['person.created'] },
  })
  const provider = { kind: 'oidc', issuer: 'https://login.pages.test', clientId: 'sendreel' } as const
  const connection = { ...provider, name: 'Every Page ID', clientSecret: 'a secret of the provider' }
  const { id: connectionId } = await client.call(createConnection, { params, body: connection })
  const { id: systemConnectionId } = await client.call(createSystemConnection, { body: connection })
  return {
    client,
    ids: {
      orgId,
      userId,
      groupId,
      videoId,
      transmissionId,
      assignmentId,
      operationId,
      eventAddressId,
      connectionId,
      language: 'de',
      systemConnectionId,
    },
  }
}

/** The page that was asked for is there with its data. */
async function expectOpen(page: Page): Promise<void> {
  await expect(page.locator('main h1')).toBeVisible()
  await expect(page.locator('main [data-part=bone]')).toHaveCount(0)
}

/** A layout whose content another page has; the frame around it is checked in every look. */
const isPlainLayout = (address: string) => address.startsWith('/layouts/') && !address.includes('with-')

/** In every state in which it is looked at, a page has no fault that axe knows. */
async function expectAccessible(page: Page, address: string): Promise<void> {
  if (!isPlainLayout(address)) expect(await axeFaults(page), address).toEqual([])
}

test('every page stands inside the main layout, without a fault, light on a desktop; who asks for less motion sees none', async ({
  world: { page, addresses },
}) => {
  const heading = page.getByRole('heading', { level: 1 })
  await page.setViewportSize({ width: 1366, height: 800 })
  await wear(page, { theme: 'light' })
  for (const address of addresses) {
    await page.goto(address)
    await expectOpen(page)
    await expect(heading, address).toHaveCount(1)
    await expect(heading, address).not.toHaveText('Page Not Found')
    await expect(page.locator('[data-part=sidenav], [data-part=topnav]'), address).toHaveCount(1)
    await expect(page.getByRole('contentinfo'), address).toBeVisible()
    await expect(page.getByRole('button', { name: 'Layout customizer' }), address).toBeVisible()
    expect(await page.evaluate(moving), address).toEqual([])
    const { sizes, weights } = await page.evaluate(letters)
    expect(sizes.length, `${address} ${sizes.join()}`).toBeLessThanOrEqual(5)
    expect(weights.length, `${address} ${weights.join()}`).toBeLessThanOrEqual(3)
    expect(await page.evaluate(small), address).toEqual([])
    await expectAccessible(page, address)
  }
})

/**
 * Runs in the page: what can be pressed on less than 24 by 24 px, its label included. Links within a sentence are as high as their line:
 * WCAG 2.2, 2.5.8.
 */
function small() {
  const targets =
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=slider], [role=tab], [role=switch]'
  const isInSentence = (element: HTMLElement) =>
    element.localName === 'a' &&
    [...(element.parentElement?.childNodes ?? [])].some(
      (node) => node instanceof Text && node.textContent.trim() !== '',
    )
  return [...document.querySelectorAll<HTMLElement>(targets)].flatMap((element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
    // What is there for screen readers alone is a pixel wide.
    if (element.getBoundingClientRect().width <= 1 || isInSentence(element)) return []
    // A press on the box around a field of pills is one on the field.
    const around = element.closest('label, .mantine-PillsInput-input')
    // Where a card is pressed as a whole, its link lies over all of it.
    const isSpread = getComputedStyle(element, '::after').position === 'absolute'
    const whole = isSpread ? element.offsetParent : null
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : []
    const boxes = [element, ...(around ? [around] : []), ...(whole ? [whole] : []), ...labels].map((one) =>
      one.getBoundingClientRect(),
    )
    const width = Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left))
    const height = Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top))
    if (width >= 24 && height >= 24) return []
    const name = element.getAttribute('aria-label') ?? element.textContent
    return [`${element.localName} ${name.trim().slice(0, 40)} ${Math.round(width)} x ${Math.round(height)}`]
  })
}

/** Runs in the page: the sizes and the weights of letters that somebody sees. */
function letters() {
  const [sizes, weights] = [new Set<string>(), new Set<string>()]
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { textContent, parentElement } = texts.currentNode
    if (!parentElement?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    // What is there for screen readers alone is a pixel wide.
    if (!textContent?.trim() || parentElement.getBoundingClientRect().width <= 1) continue
    const { fontSize, fontWeight } = getComputedStyle(parentElement)
    sizes.add(fontSize)
    weights.add(fontWeight)
  }
  return { sizes: [...sizes], weights: [...weights] }
}

/** Runs in the page: whatever would take longer than 20 ms to change, or goes on for ever. */
function moving() {
  const seconds = (list: string) =>
    Math.max(...list.split(',').map((part) => Number.parseFloat(part) * (part.includes('ms') ? 0.001 : 1)))
  return [...document.querySelectorAll('*')].flatMap((element) => {
    const { transitionDuration, animationName, animationDuration, animationIterationCount } =
      getComputedStyle(element)
    const isMoving =
      seconds(transitionDuration) > 0.02 ||
      (animationName !== 'none' &&
        (seconds(animationDuration) > 0.02 || animationIterationCount === 'infinite'))
    return isMoving ? [`${element.tagName}.${element.className}`] : []
  })
}

/** The least room for text that its reader may ask for: WCAG 2.2, 1.4.12. */
const spacedOut =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }'

/** A phone, and a window of 1280 by 1024 at 400 %: WCAG 2.2, 1.4.10. */
const narrow = [
  { width: 320, height: 640 },
  { width: 320, height: 256 },
]

test('no page has a fault, dark on a phone, and none scrolls sideways in a narrow window, with the text as it is and spaced out', async ({
  world: { page, addresses },
}) => {
  await wear(page, { theme: 'dark' })
  // A page by itself, and then each as a link leads there: that each loads is shown on the desktop.
  await page.goto('/settings')
  await expectOpen(page)
  for (const address of addresses) {
    await page.setViewportSize({ width: 390, height: 800 })
    await follow(page, address)
    await expectOpen(page)
    expect(await page.evaluate(small), `${address} on a phone`).toEqual([])
    await expectAccessible(page, address)
    for (const size of narrow) {
      await resize(page, size)
      expect(await page.evaluate(overflowing), `${address} ${size.height}`).toEqual([])
    }
    const style = await page.addStyleTag({ content: spacedOut })
    for (const size of narrow.toReversed()) {
      await resize(page, size)
      expect(await page.evaluate(overflowing), `${address} ${size.height}, spaced out`).toEqual([])
    }
    await style.evaluate((sheet: Element) => sheet.remove())
  }
})

/** What follows the size of the window has followed when it has been drawn. */
async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size)
  await drawn(page)
}

/** Runs in the page: what is wider than it, and what of its words is cut off without a way to read the rest. */
function overflowing() {
  const faults: string[] = []
  // What is there to be read aloud only.
  const isUnseen = (one: Element | null): boolean =>
    one !== null && (getComputedStyle(one).clipPath === 'inset(50%)' || isUnseen(one.parentElement))
  if (document.documentElement.scrollWidth > innerWidth)
    faults.push(`page ${document.documentElement.scrollWidth}`)
  for (const element of document.querySelectorAll<HTMLElement>(
    'main :is(h1, h2, h3, p, a, button, label, th, td, dd, legend)',
  )) {
    if (isUnseen(element) || element.offsetParent === null) continue
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element)
    const isCut =
      (overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 2) ||
      (overflowX !== 'visible' &&
        element.scrollWidth > element.clientWidth + 1 &&
        textOverflow !== 'ellipsis')
    if (isCut) faults.push(`${element.tagName} ${element.textContent.slice(0, 40)}`)
  }
  return faults
}

import { expect, type Page } from '@playwright/test'
import { createOrganization } from '#contract/organizations.ts'
import { createGroup } from '#contract/groups.ts'
import { pages } from '#contract/roles.ts'
import { createUser } from '#contract/users.ts'
import { skinNames, type SkinName } from '#web/ui/skins.ts'
import { menuColors, themeNames, tokensOf, topbarColors, type Choice } from '#web/ui/tokens.ts'
import { newSuperadmin, type Client } from './client.ts'
import { axeFaults, faultsAgain, signedIn, wcag, wear } from './console.ts'
import type { Product } from './product.ts'
import { test } from './shared.ts'

/** What can change between two looks of a theme: the colours of the frame. */
const frameColours = {
  rules: ['color-contrast', 'link-in-text-block'],
  parts: ['[data-part=sidenav]', '[data-part=topbar]'],
}

/** The least room for text that its reader may ask for: WCAG 2.2, 1.4.12. */
const spacedOut =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }'

let product: Product
let client: Client
let page: Page
let organizationId: string
let userId: string
let groupId: string

test.beforeAll(async ({ browser, shared }) => {
  product = shared
  client = await newSuperadmin(product)
  const { id } = await client.call(createOrganization, { body: { name: 'Looks Ltd' } })
  organizationId = id
  const params = { orgId: id }
  const person = { name: 'Ada Lovelace', email: 'ada@looks.test' }
  userId = (await client.call(createUser, { params, body: person })).id
  groupId = (await client.call(createGroup, { params, body: { name: 'Engineers' } })).id
  page = await signedIn(browser, product, client)
  await page.setViewportSize({ width: 1366, height: 800 })
  // Colours that are still on their way would be measured half way.
  await page.emulateMedia({ reducedMotion: 'reduce' })
})
test.afterAll(async () => {
  await page.context().close()
})

async function open(address: string): Promise<void> {
  await page.goto(product.url + address)
  await expect(page.locator('main h1')).toBeVisible()
  await expect(page.locator('main .ui-bone')).toHaveCount(0)
}

async function wearLook({ skin, theme, menu, topbar }: Choice): Promise<void> {
  await wear(page, { skin, theme, sidenav: { color: menu }, topBar: { color: topbar } })
  await expect(page.locator('html')).toHaveAttribute('data-skin', skin)
}

/** Every side navigation, the top bar changing along, then every top bar: 18 for a skin. */
function looksOf(skin: SkinName): Choice[] {
  return themeNames.flatMap((theme) => [
    ...menuColors.map((menu, at) => ({ skin, theme, menu, topbar: topbarColors[at % 4] ?? 'light' })),
    ...topbarColors.map((topbar): Choice => ({ skin, theme, menu: 'dark', topbar })),
  ])
}

for (const skin of skinNames)
  test(`${skin}: no look breaks a rule of accessibility, on a dashboard and on a form`, async () => {
    for (const address of ['/dashboard', '/organizations/create']) {
      await open(address)
      let theme = ''
      for (const look of looksOf(skin)) {
        await wearLook(look)
        const faults = look.theme === theme ? faultsAgain(page, frameColours) : axeFaults(page, wcag)
        theme = look.theme
        expect(await faults, JSON.stringify({ address, ...look })).toEqual([])
      }
    }
  })

test('what the page shows is what the tokens say, so that their contrasts are the page’s', async () => {
  await open('/organizations')
  for (const [n, skin] of skinNames.entries())
    for (const theme of themeNames) {
      const look = { skin, theme, menu: menuColors[n % 3] ?? 'light', topbar: topbarColors[n % 3] ?? 'light' }
      await wearLook(look)
      const tokens = tokensOf(look)
      const expected = {
        body: tokens['c-body'],
        text: tokens['c-text'],
        heading: tokens['c-heading'],
        nav: tokens['nav-bg'],
        item: tokens['nav-item'],
        active: tokens['nav-active'],
        bar: tokens['bar-bg'],
        placeholder: tokens['bar-search-placeholder'],
        button: tokens['c-primary-filled'],
        card: tokens['c-surface'],
        font: tokens['c-font']?.match(/'([^']+)'/)?.[1],
      }
      expect(await page.evaluate(shown), JSON.stringify(look)).toEqual(expected)
    }
})

/** Runs in the page: what stands at these places, colours as `#rrggbb`. */
function shown() {
  const of = (selector: string, property: string, pseudo?: string) => {
    const element = document.querySelector(selector)
    if (!element) return `no ${selector}`
    const value = getComputedStyle(element, pseudo).getPropertyValue(property)
    const parts = value.match(/^rgb\((\d+), (\d+), (\d+)\)$/)?.slice(1) ?? []
    return parts.length === 3
      ? `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
      : value
  }
  return {
    body: of('body', 'background-color'),
    text: of('body', 'color'),
    heading: of('main h1', 'color'),
    nav: of('[data-part=sidenav]', 'background-color'),
    item: of('[data-part=sidenav] .nav-link:not([aria-current])', 'color'),
    active: of('[data-part=sidenav] [aria-current=page]', 'color'),
    bar: of('[data-part=topbar]', 'background-color'),
    placeholder: of('[data-part=topbar] input[type=search]', 'color', '::placeholder'),
    button: of('main .ui-head-actions [data-create]', 'background-color'),
    card: of('main .ui-card', 'background-color'),
    font: of('body', 'font-family').match(/^"?([^",]+)/)?.[1],
  }
}

const sizes = ['default', 'compact', 'condensed', 'on-hover', 'on-hover-active', 'offcanvas'] as const

test('in every look the frame stands in its place, on a desktop and on a phone', async () => {
  await open('/dashboard')
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 800 })
    for (const skin of skinNames)
      for (const theme of themeNames) {
        const looks = [
          ...sizes.map((size) => ({ skin, theme, sidenav: { size } })),
          { skin, theme, orientation: 'horizontal' },
        ]
        for (const look of looks) {
          await wear(page, look)
          await expect(page.locator('html')).toHaveAttribute('data-skin', skin)
          expect(await page.evaluate(misplaced), JSON.stringify({ width, ...look })).toEqual([])
        }
      }
  }
  await page.setViewportSize({ width: 1366, height: 800 })
  await wear(page, {})
})

/** Runs in the page: what of the frame lies over something else, outside the window, or is cut off. */
function misplaced() {
  const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect()
  const [side, bar, main, heading] = ['[data-part=sidenav]', '[data-part=topbar]', 'main', 'main h1'].map(box)
  const faults: string[] = []
  if (!bar || !main || !heading) return ['bar, main or heading is missing']
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways')
  if (bar.top !== 0 || bar.height !== 65) faults.push(`the bar is at ${bar.top}, ${bar.height} high`)
  if (main.top < bar.bottom) faults.push('the page lies under the bar')
  if (heading.bottom > innerHeight || heading.right > innerWidth) faults.push('the heading is out of sight')
  const isDrawn =
    side !== undefined &&
    side.right > 0 &&
    getComputedStyle(document.querySelector('[data-part=sidenav]') ?? document.body).visibility === 'visible'
  if (isDrawn && (side.right > main.left + 0.5 || side.right > bar.left + 0.5))
    faults.push('the menu lies over the page')
  if (Math.abs((isDrawn ? side.right : 0) - main.left) > 0.5)
    faults.push(`a gap beside the page: ${main.left}`)
  return faults
}

test('forced colours leave the focus and the active page visible', async () => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  await open('/organizations')
  const outlineOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((node) => {
        const { outlineStyle, outlineWidth, borderInlineStartWidth, borderInlineStartStyle } =
          getComputedStyle(node)
        const outline = outlineStyle === 'none' ? 0 : Number.parseFloat(outlineWidth)
        return Math.max(
          outline,
          borderInlineStartStyle === 'none' ? 0 : Number.parseFloat(borderInlineStartWidth),
        )
      })
  expect(await outlineOf('[data-part=sidenav] [aria-current=page]')).toBeGreaterThanOrEqual(2)
  for (let stop = 0; stop < 12; stop++) {
    await page.keyboard.press('Tab')
    expect(await outlineOf(':focus-visible')).toBeGreaterThanOrEqual(2)
  }
  await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce' })
})

/** Every protected page, with ids in place of its parameters. */
function addresses(): string[] {
  const known: Record<string, string> = { orgId: organizationId, userId, groupId }
  return pages
    .map(({ path }) => path.replaceAll(/\$(\w+)/g, (_whole, name: string) => known[name] ?? 'unknown'))
    .filter((path) => !path.includes('unknown'))
}

/** Runs in the page: what is wider than it, and what of its words is cut off without a way to read the rest. */
function overflowing() {
  const faults: string[] = []
  if (document.documentElement.scrollWidth > innerWidth)
    faults.push(`page ${document.documentElement.scrollWidth}`)
  for (const element of document.querySelectorAll<HTMLElement>(
    'main :is(h1, h2, h3, p, a, button, label, th, td, dd, legend)',
  )) {
    if (element.closest('.ui-sr') || element.offsetParent === null) continue
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

for (const [name, height] of [
  ['a window of 320 by 640', 640],
  ['a window of 1280 by 1024 at 400 %', 256],
] as const)
  test(`no page scrolls sideways in ${name}, with the text as it is and spaced out`, async () => {
    await page.setViewportSize({ width: 320, height })
    for (const address of addresses()) {
      await open(address)
      expect(await page.evaluate(overflowing), address).toEqual([])
      await page.addStyleTag({ content: spacedOut })
      expect(await page.evaluate(overflowing), `${address}, spaced out`).toEqual([])
    }
  })

/** A layout whose content another page has; the frame around it is checked in every look above. */
const isPlainLayout = (address: string) => address.startsWith('/layouts/') && !address.includes('with-')

test('no page has a fault, light on a desktop and dark on a phone', async () => {
  for (const [width, theme] of [
    [1366, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await wear(page, { theme })
    for (const address of addresses().filter((one) => !isPlainLayout(one))) {
      await open(address)
      expect(await axeFaults(page), `${address} ${theme}`).toEqual([])
    }
  }
})

test('who asks for less motion sees none', async () => {
  await page.setViewportSize({ width: 1366, height: 800 })
  for (const address of addresses()) {
    await open(address)
    expect(await page.evaluate(moving), address).toEqual([])
  }
})

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

import { expect, type Page } from '@playwright/test'
import { newSuperadmin } from './client.ts'
import { wear } from './console.ts'
import { customizerOn, press, stored } from './customizer.ts'
import { test as shared } from './shared.ts'
import { seenBy, watchStart } from './witness.ts'

/** A device that is dark and asks for less motion. */
const test = shared.extend({
  page: async ({ shared: product, open }, use) => {
    const page = await open(await newSuperadmin(product))
    await page.addInitScript(watchStart)
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await use(page)
  },
})

const html = (page: Page) => page.locator('html')

/** The open customizer, on a page that looks so. */
async function openCustomizer(page: Page, look: object | null) {
  await wear(page, look)
  await page.goto('/settings')
  await expect(page.locator('main h1')).toBeVisible()
  const customizer = customizerOn(page)
  await customizer.open()
  return customizer
}

/** Runs in the page: what a choice changes for the eye. */
function look() {
  const style = (selector: string) => {
    const element = document.querySelector(selector)
    return element && getComputedStyle(element)
  }
  const backgroundOf = (selector: string) =>
    `${style(selector)?.backgroundColor} ${style(selector)?.backgroundImage}`
  const shows = (selector: string) => {
    const element = document.querySelector(selector)
    return element !== null && element.getClientRects().length > 0
  }
  return {
    font: style('body')?.fontFamily ?? '',
    body: backgroundOf('body'),
    bar: backgroundOf('[data-part=topbar]'),
    nav: backgroundOf('[data-part=sidenav]'),
    left: document.querySelector('main')?.getBoundingClientRect().left,
    sidenav: shows('[data-part=sidenav]'),
    barPosition: style('[data-part=topbar]')?.position ?? '',
    user: shows('#sidenav > :has(> [popovertarget])'),
  }
}
type Look = ReturnType<typeof look>

type Case = {
  legend: string
  label: string
  /** Attribute and what it then says. */
  attribute: [name: string, value: string]
  /** What is kept, and another choice in its place, from which the first of a legend comes. */
  stored: Record<string, unknown>
  other: Record<string, unknown>
  /** What the eye sees change, and to what where that can be said in a word. */
  seen: keyof Look
  as?: unknown
}

type Value = [value: string, label: string, as?: unknown]

/** One case for each value, its other choice `step` places on. */
function casesOf(
  head: Pick<Case, 'legend' | 'seen'> & {
    attribute: string
    keep: (value: string) => Record<string, unknown>
    step?: number
  },
  values: readonly Value[],
): Case[] {
  const { legend, attribute: name, keep, step = 1, seen: part } = head
  return values.map(([value, label, as], at) => ({
    legend,
    label,
    attribute: [name, value],
    stored: keep(value),
    other: keep(values[(at + step) % values.length]?.[0] ?? ''),
    seen: part,
    as,
  }))
}

/** Of one legend in an order in which each looks other than the one before it, and the last other than the default. */
const cases: Case[] = [
  ...casesOf({ legend: 'Skin', attribute: 'data-skin', keep: (skin) => ({ skin }), seen: 'font' }, [
    ['classic', 'Classic', /^"Open Sans/],
    ['material', 'Material', /^"Roboto/],
    ['modern', 'Modern', /^"?Poppins/],
    ['saas', 'SaaS', /^"Inter/],
    ['flat', 'Flat', /^"Nunito/],
    ['minimal', 'Minimal', /^"IBM Plex Sans/],
  ]),
  ...casesOf(
    { legend: 'Colour scheme', attribute: 'data-bs-theme', keep: (theme) => ({ theme }), seen: 'body' },
    [
      ['dark', 'Dark', /^rgb\(16, 20, 19\)/],
      ['light', 'Light', /^rgb\(246, 247, 245\)/],
    ],
  ),
  {
    legend: 'Colour scheme',
    label: 'System',
    attribute: ['data-bs-theme', 'dark'],
    stored: { theme: 'system' },
    other: { theme: 'light' },
    seen: 'body',
    as: /^rgb\(16, 20, 19\)/,
  },
  ...casesOf(
    {
      legend: 'Topbar colour',
      attribute: 'data-topbar-color',
      keep: (color) => ({ topBar: { color } }),
      seen: 'bar',
    },
    [
      ['light', 'Light'],
      ['dark', 'Dark'],
      ['gray', 'Gray'],
      ['gradient', 'Gradient', /linear-gradient/],
    ],
  ),
  {
    legend: 'Orientation',
    label: 'Vertical',
    attribute: ['data-layout', ''],
    stored: { orientation: 'vertical' },
    other: { orientation: 'horizontal' },
    seen: 'sidenav',
    as: true,
  },
  {
    legend: 'Orientation',
    label: 'Horizontal',
    attribute: ['data-layout', 'topnav'],
    stored: { orientation: 'horizontal' },
    other: { orientation: 'vertical' },
    seen: 'sidenav',
    as: false,
  },
  ...casesOf(
    {
      legend: 'Sidenav colour',
      attribute: 'data-menu-color',
      keep: (color) => ({ sidenav: { color } }),
      seen: 'nav',
    },
    [
      ['light', 'Light'],
      ['dark', 'Dark'],
      ['gray', 'Gray'],
      ['gradient', 'Gradient', /linear-gradient/],
      ['image', 'Image', /url\("data:image\/svg/],
    ],
  ),
  ...casesOf(
    {
      legend: 'Sidebar size',
      attribute: 'data-sidenav-size',
      keep: (size) => ({ sidenav: { size } }),
      seen: 'left',
      step: 2,
    },
    [
      ['default', 'Default', 235],
      ['compact', 'Compact', 160],
      ['condensed', 'Condensed', 75],
      ['on-hover-active', 'On Hover - Show', 235],
      ['on-hover', 'On Hover', 75],
      ['offcanvas', 'Offcanvas', 0],
    ],
  ),
  ...casesOf(
    {
      legend: 'Layout position',
      attribute: 'data-layout-position',
      keep: (position) => ({ position }),
      seen: 'barPosition',
    },
    [
      ['fixed', 'Fixed', 'sticky'],
      ['scrollable', 'Scrollable', 'relative'],
    ],
  ),
]

async function expectLook(page: Page, { seen: part, as }: Case): Promise<void> {
  const now = async () => (await page.evaluate(look))[part]
  if (as instanceof RegExp) await expect.poll(now).toMatch(as)
  else if (as !== undefined) await expect.poll(now).toBe(as)
}

async function expectChosen(page: Page, one: Case): Promise<void> {
  const option = customizerOn(page).option(one.legend, one.label)
  await expect(option).not.toBeChecked()
  const before = await page.evaluate(look)
  await press(option)
  await expect(option).toBeChecked()
  const [name, value] = one.attribute
  await expect(html(page)).toHaveAttribute(name, value)
  await expect.poll(() => stored(page)).toMatchObject(one.stored)
  await expect.poll(async () => (await page.evaluate(look))[one.seen]).not.toBe(before[one.seen])
  await expectLook(page, one)
}

/** That each value is there before the body is what `web/layout/attributes.test.ts` asks of the same script; here the page runs it. */
async function expectAfterReload(page: Page, one: Case): Promise<void> {
  await page.reload()
  await expect(page.locator('main h1')).toBeVisible()
  const [name, value] = one.attribute
  const { atBody, atContentLoaded } = await seenBy(page)
  expect(atBody[name]).toBe(value)
  expect(atContentLoaded[name]).toBe(value)
  await expectLook(page, one)
}

for (const [legend, list] of Map.groupBy(cases, ({ legend }) => legend))
  test(`${legend}: each choice is shown at once and kept, the last before the next start's body`, async ({
    page,
  }) => {
    const [first, last] = [list[0], list.at(-1)]
    await openCustomizer(page, first?.other ?? null)
    for (const one of list) await expectChosen(page, one)
    if (last) await expectAfterReload(page, last)
  })

test('Sidebar user info: off hides the box with the name, and lasts', async ({ page }) => {
  const customizer = await openCustomizer(page, null)
  const control = customizer.panel.getByRole('switch', { name: 'Sidebar user info' })
  await expect(control).toBeChecked()
  expect((await page.evaluate(look)).user).toBe(true)
  await control.click()
  await expect(html(page)).toHaveAttribute('data-sidenav-user', 'false')
  await expect.poll(() => stored(page)).toMatchObject({ sidenav: { user: false } })
  expect((await page.evaluate(look)).user).toBe(false)
  await page.reload()
  await expect(page.locator('main h1')).toBeVisible()
  expect((await seenBy(page)).atBody['data-sidenav-user']).toBe('false')
  expect((await page.evaluate(look)).user).toBe(false)
})

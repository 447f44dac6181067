import { expect, type Page } from '@playwright/test'
import { drawn, wear } from './console.ts'
import { demo } from './demo.ts'
import { picturedPages, type Pictured } from './pictures/pages.ts'
import { thingsOf } from './pictures/things.ts'

type World = { page: Page; pages: Pictured[] }

/**
 * Whether all pages look made by one hand, where that is a figure: places, cut words, fills, colours and controls, read on the demo. What is
 * true of one page alone stands in the file of that page.
 */
const test = demo.extend<{ world: World }, { pages: Pictured[] }>({
  pages: [
    async ({ shared: product, admin }, use) => {
      const { ids, personal } = await thingsOf(product, admin)
      await use(picturedPages(ids, personal))
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  world: async ({ admin, pages, open }, use) => use({ page: await open(admin), pages }),
})
test.use({ contextOptions: { reducedMotion: 'reduce' } })

const screen = { width: 1366, height: 800 }
const phone = { width: 390, height: 844 }

function addressOf({ pages }: World, name: string): string {
  const found = pages.find((one) => one.name === name)
  if (!found) throw new Error(`There is no page "${name}"`)
  return found.address
}

async function open(world: World, name: string): Promise<void> {
  const { page } = world
  await page.goto(addressOf(world, name))
  await page.locator('main h1').first().waitFor()
  await expect(page.locator('[data-part=bone], [aria-busy=true]')).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready)
  await drawn(page)
}

/** Pages with the frame of the console, as they stand when they are opened. One that is not there is a face without a head. */
const framed = ({ pages }: World) =>
  pages.filter(
    ({ name, reader: by, press, answers, whole }) =>
      by === 'admin' && name !== 'unknown-page' && !press && !answers && !whole,
  )

test('the title of every page stands in one line, and nothing above it is larger than 12 px', async ({
  world,
}) => {
  const { page } = world
  const places = new Map<number, string[]>()
  const large: string[] = []
  for (const { name } of framed(world)) {
    await open(world, name)
    const { top, parents } = await page.evaluate(() => {
      const heading = document.querySelector('main h1')
      const crumbs = document.querySelectorAll('main nav[aria-label=Breadcrumb] :is(a, li)')
      return {
        top: Math.round(heading?.getBoundingClientRect().top ?? -1),
        parents: [...crumbs].map((one) => ({ size: getComputedStyle(one).fontSize, text: one.textContent })),
      }
    })
    places.set(top, [...(places.get(top) ?? []), name])
    large.push(...parents.filter(({ size }) => size !== '12px').map(({ text }) => `${name}: ${text}`))
  }
  expect(Object.fromEntries(places)).toEqual({
    [Math.min(...places.keys())]: framed(world).map(({ name }) => name),
  })
  expect(large).toEqual([])
})

const lists = [
  'organizations',
  'organization-users',
  'organization-groups',
  'transmissions',
  'assignments',
  'reports-user-engagement',
  'reports-message-analytics',
  'reports-account-user-activity',
  'transmissions-barred-addresses',
]

/** Runs in the page: the words that are cut in the columns that name what a row is about. */
function cutWords(): string[] {
  const columns =
    'main [data-part=table] tbody :is(th, [data-key=email], [data-key=address], [data-key=title])'
  return [...document.querySelectorAll(columns)].flatMap((cell) =>
    [cell, ...cell.querySelectorAll('*')]
      .filter(
        (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).textOverflow === 'ellipsis',
      )
      .map((one) => one.textContent),
  )
}

test('no name, title or address of nine lists is cut on a screen, and two of ten at most on a phone', async ({
  world,
}) => {
  const { page } = world
  for (const name of lists) {
    await page.setViewportSize(screen)
    await open(world, name)
    expect.soft(await page.evaluate(cutWords), name).toEqual([])
    await page.setViewportSize(phone)
    await drawn(page)
    const rows = await page.locator('main [data-part=table] tbody tr').count()
    const cut = await page.evaluate(cutWords)
    expect.soft(cut.length / Math.max(10, rows), `${name} ${cut.join(', ')}`).toBeLessThanOrEqual(0.2)
  }
})

test('a row has one control beside its links, and controls keep 8 px between them', async ({ world }) => {
  const { page } = world
  for (const name of [...lists, 'transmissions-templates', 'organizations-org-groups-group']) {
    if (!world.pages.some((one) => one.name === name)) continue
    await open(world, name)
    const most = await page.evaluate(() =>
      Math.max(
        0,
        ...[...document.querySelectorAll('main [data-part=table] tbody tr')].map(
          (row) => row.querySelectorAll('[data-part=row-actions] :is(button, a) svg').length,
        ),
      ),
    )
    expect.soft(most, name).toBeLessThanOrEqual(1)
    expect.soft(await page.evaluate(touching), name).toEqual([])
  }
})

/** Runs in the page: buttons side by side with less than 8 px between them. */
function touching(): string[] {
  const buttons = [...document.querySelectorAll<HTMLElement>('main :is(button, a[data-variant])')].filter(
    (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
  )
  return buttons.flatMap((one) => {
    const next = one.nextElementSibling
    if (!(next instanceof HTMLElement) || !buttons.includes(next)) return []
    const [here, there] = [one.getBoundingClientRect(), next.getBoundingClientRect()]
    const isBeside = Math.abs(here.top - there.top) < 4
    return isBeside && there.left - here.right < 8 && there.left - here.right >= -1 && there.left > here.left
      ? [`${one.textContent} | ${next.textContent}`]
      : []
  })
}

/** What a list has as soon as it is there: rows, cards, cells, or the people of a matrix on a phone. */
const rows = [
  'main [data-part=table] tbody tr:not([aria-hidden])',
  'main a[href^="/content/"]',
  'main [role=grid]',
  'main [data-row]',
].join()

/** What somebody has to do something about: they were late or failed, or it waits for a hand. */
const asks = /^(Late|Failed|No attempt left|Expired|Held|To approve|Paused|Returned|Refused|Not certain)/

test('a ground is filled only where somebody has to do something', async ({ world }) => {
  const { page } = world
  for (const name of ['transmissions', 'organization-users', 'content', 'reports-training-matrix']) {
    await open(world, name)
    await page.locator(rows).first().waitFor()
    const badges = page.locator('main [data-part=badge], main [role=gridcell] > *')
    const filled = await badges.evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility())
        .filter((one) => !/, 0\)$|^transparent$/.test(getComputedStyle(one).backgroundColor))
        .map((one) => one.textContent),
    )
    expect
      .soft(
        filled.filter((word) => !asks.test(word)),
        name,
      )
      .toEqual([])
  }
})

/** The frame of a page comes with its file, a moment after the page has begun to wait. */
const softly = expect.configure({ soft: true })

/** Pages of each kind: as they are drawn, and what says that they are. */
const waiting = {
  dashboard: { as: 'dashboard', has: 'main section' },
  people: { as: 'organization-users', has: rows },
  person: { as: 'organizations-org-users-user', has: rows },
  content: { as: 'content', has: rows },
  questions: { as: 'content-video-quiz', has: 'main video' },
  transmission: { as: 'transmissions-transmission', has: rows },
  report: { as: 'reports-user-engagement', has: rows },
  matrix: { as: 'reports-training-matrix', has: rows },
}

/** Runs in the page: where its title, its tabs, its bar and its first row or card begin. */
function frameOf() {
  const top = (selector: string) => {
    const found = document.querySelector(selector)
    return found ? Math.round(found.getBoundingClientRect().top) : null
  }
  return {
    title: top('main h1'),
    tabs: top('main nav[data-screen-only]'),
    bar: top('main [data-part=filters]'),
    row: top(
      'main [data-part=table] tbody tr, main [role=grid] [role=row] ~ [role=row], main [data-row], main [data-part=first]',
    ),
  }
}

for (const size of [screen, phone])
  test(`what waits stands where it will be, on ${size.width} px`, async ({ world }) => {
    const { page } = world
    await page.setViewportSize(size)
    for (const [name, { as, has }] of Object.entries(waiting)) {
      await open(world, as)
      await page.locator(has).first().waitFor()
      const drawnFrame = await page.evaluate(frameOf)
      await page.route(/\/api\/(?!auth\/|together\?of=%2Fauth)/, () => undefined)
      await page.goto(addressOf(world, `${name}-waits`))
      await page.locator('main [data-part=bone]').first().waitFor()
      // What stands above the recipients of a message depends on what has become of it; and a title may take two lines of a phone.
      const isOpen = name === 'transmission' || (size === phone && name === 'questions')
      const awaited = isOpen ? { title: drawnFrame.title } : drawnFrame
      await softly
        .poll(() => page.evaluate(frameOf), { message: name, timeout: 5_000 })
        .toMatchObject(awaited)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })

test('where nothing comes, one notice says so below the title, with one way to try again', async ({
  world,
}) => {
  const { page } = world
  for (const name of Object.keys(waiting)) {
    await page.route(/\/api\/(?!auth\/|together\?of=%2Fauth)/, (route) => route.abort())
    await page.goto(addressOf(world, `${name}-lost`))
    const again = page.getByRole('main').getByRole('button', { name: 'Try again' })
    await softly(again, name).toHaveCount(1)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
})

test('every form begins at one place', async ({ world }) => {
  const { page } = world
  const places = new Map<number, string[]>()
  for (const { name } of framed(world).filter(({ address }) =>
    /\/(create|edit|invite|import)$/.test(address),
  )) {
    await open(world, name)
    const left = await page.evaluate(() =>
      Math.round(document.querySelector('main form')?.getBoundingClientRect().left ?? -1),
    )
    if (left >= 0) places.set(left, [...(places.get(left) ?? []), name])
  }
  expect([...places.keys()], JSON.stringify(Object.fromEntries(places))).toHaveLength(1)
})

for (const [size, most] of [
  [screen, 400],
  [phone, 560],
] as const)
  test(`the first recipient of a message stands within ${most} px, on ${size.width} px`, async ({
    world,
  }) => {
    const { page } = world
    await page.setViewportSize(size)
    await open(world, 'transmissions-transmission')
    const box = await page.locator('main [data-part=table] tbody tr:not([data-group])').first().boundingBox()
    expect((box?.y ?? Infinity) + (box?.height ?? 0) / 2).toBeLessThanOrEqual(most)
  })

test('what is done has one green in each theme', async ({ world }) => {
  const { page } = world
  for (const theme of ['light', 'dark'] as const) {
    await wear(page, { theme })
    const greens = new Set<string>()
    for (const name of [
      'dashboard',
      'transmissions',
      'organizations-org-users-user-videos-video',
      'reports-training-matrix',
      'reports-user-engagement',
    ]) {
      await open(world, name)
      for (const one of await page.evaluate(greensOfData)) greens.add(one)
    }
    expect([...greens], theme).toHaveLength(1)
  }
})

/** Runs in the page: the greens with which data are drawn, not what is pressed, written, or a mere tint of a ground. */
function greensOfData(): string[] {
  const drawings = document.querySelectorAll(
    'main svg:not([class*=tabler]) *, main [data-tone], main [data-part=strip] *',
  )
  const isGreen = (colour: string) => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number)
    return alpha === 1 && green > red + 30 && green > blue
  }
  return [...drawings].flatMap((one) => {
    const { fill, backgroundColor } = getComputedStyle(one)
    return [one instanceof SVGElement ? fill : backgroundColor].filter(isGreen)
  })
}

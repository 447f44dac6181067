import { expect, type Page } from '@playwright/test'
import { skinNames, type SkinName } from '#web/ui/look/skins.ts'
import { menuColors, themeNames, tokensOf, topbarColors, type Choice } from '#web/ui/look/tokens.ts'
import { newOrganization } from './client.ts'
import { axeFaults, faultsAgain, wcag, wear } from './console.ts'
import { test as shared } from './shared.ts'

const test = shared.extend({
  page: async ({ shared: product, open }, use) => {
    const page = await open((await newOrganization(product, 'Looks Ltd')).client)
    // Colours that are still on their way would be measured half way.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await use(page)
  },
})

async function go(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await expect(page.locator('main h1')).toBeVisible()
  await expect(page.locator('main [data-part=bone]')).toHaveCount(0)
}

async function wearLook(page: Page, { skin, theme, menu, topbar }: Choice): Promise<void> {
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

/** What a skin and a theme can change of what axe looks at; that every page is without fault is shown in one skin. */
const looks = { rules: ['color-contrast', 'link-in-text-block', 'target-size'], parts: ['body'] }

test('no skin breaks a rule of accessibility, on a dashboard and on a form', async ({ page }) => {
  for (const address of ['/dashboard', '/organizations/create']) {
    await go(page, address)
    expect(await axeFaults(page, wcag), address).toEqual([])
    for (const skin of skinNames)
      for (const theme of themeNames) {
        await wearLook(page, { skin, theme, menu: 'dark', topbar: 'light' })
        expect(await faultsAgain(page, looks), JSON.stringify({ address, skin, theme })).toEqual([])
      }
  }
})

test('what the page shows is what the tokens say, so that their contrasts are the page’s', async ({
  page,
}) => {
  await go(page, '/organizations')
  for (const look of skinNames.flatMap(looksOf)) {
    await wearLook(page, look)
    const tokens = tokensOf(look)
    const colours: Record<string, Shown> = {
      'c-body': ['body', 'background'],
      'c-text': ['body', 'color'],
      'c-heading': ['main h1', 'color'],
      'nav-bg': ['[data-part=sidenav]', 'background'],
      'nav-item': ['[data-part=sidenav] nav a:not([aria-current])', 'color'],
      'nav-active': ['[data-part=sidenav] [aria-current=page]', 'color'],
      'bar-bg': ['[data-part=topbar]', 'background'],
      'bar-item': ['[data-part=topbar]', 'color'],
      'bar-search-bg': ['[data-part=topbar] input[type=search]', 'background'],
      'bar-search-text': ['[data-part=topbar] input[type=search]', 'color'],
      'bar-search-border': ['[data-part=topbar] input[type=search]', 'border-color'],
      'bar-search-placeholder': ['[data-part=topbar] input[type=search]', 'color', '::placeholder'],
      'c-primary-filled': ['main [data-part=actions] [data-create]', 'background'],
      'c-surface': ['main [data-part=table-card]', 'background'],
    }
    const wanted = Object.entries(colours).map(([name, at]) => ({ name, at, value: tokens[name] ?? 'none' }))
    expect(await page.evaluate(otherwise, wanted), JSON.stringify(look)).toEqual([])
    const font = await page.evaluate(() => getComputedStyle(document.body).fontFamily)
    expect(/^"?([^",]+)/.exec(font)?.[1], look.skin).toBe(/'([^']+)'/.exec(tokens['c-font'] ?? '')?.[1])
  }
})

type Shown = [selector: string, property: 'background' | 'color' | 'border-color', pseudo?: string]

/** Runs in the page: the tokens that are not what stands at their place, both as the browser computes them. */
function otherwise(wanted: { name: string; at: Shown; value: string }[]): string[] {
  const probe = document.createElement('i')
  document.body.append(probe)
  const faults = wanted.flatMap(({ name, at: [selector, property, pseudo], value }) => {
    const element = document.querySelector(selector)
    if (!element) return [`${name}: no ${selector}`]
    probe.style.cssText = ''
    probe.style.setProperty(property, value)
    if (probe.style.length === 0) return [`${name}: ${value} is no ${property}`]
    const longhands = {
      background: ['background-color', 'background-image'],
      color: ['color'],
      'border-color': ['border-top-color'],
    }
    return longhands[property].flatMap((one) => {
      const is = getComputedStyle(element, pseudo).getPropertyValue(one)
      const ought = getComputedStyle(probe).getPropertyValue(one)
      return is === ought ? [] : [`${name}: ${one} of ${selector} is ${is}, not ${ought}`]
    })
  })
  probe.remove()
  return faults
}

const sizes = ['default', 'compact', 'condensed', 'on-hover', 'on-hover-active', 'offcanvas'] as const

test('in every look the frame stands in its place, on a desktop and on a phone', async ({ page }) => {
  await go(page, '/dashboard')
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
})

/** Runs in the page: what of the frame lies over something else, outside the window, or is cut off. */
function misplaced() {
  const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect()
  const [side, bar, main, heading] = ['[data-part=sidenav]', '[data-part=topbar]', 'main', 'main h1'].map(box)
  const faults: string[] = []
  if (!bar || !main || !heading) return ['bar, main or heading is missing']
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways')
  if (bar.top !== 0 || bar.height !== 56) faults.push(`the bar is at ${bar.top}, ${bar.height} high`)
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

test('forced colours leave the focus and the active page visible', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await go(page, '/organizations')
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
})

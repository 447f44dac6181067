import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Browser, type Locator, type Page } from '@playwright/test'
import { readSession } from '#contract/identity/auth.ts'
import type { Client } from './client.ts'
import type { Product } from './product.ts'

/** A page of a browser of its own in which the person is signed in; its addresses begin at the product. */
export async function signedIn(browser: Browser, product: Product, client: Client): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: product.url })).newPage()
  await signIn(page, product, client)
  return page
}

/** The same in a page that is there already. */
export async function signIn(page: Page, product: Pick<Product, 'url'>, client: Client): Promise<void> {
  const { user } = await client.call(readSession)
  // A page of the product that runs nothing, so that its storage can be written.
  await page.goto(`${product.url}/api/health`)
  await page.evaluate(
    (stored) => localStorage.setItem('persist:auth', stored),
    JSON.stringify({ token: client.token, user, isAuthenticated: true }),
  )
}

/** What has happened so far is on the screen: a page has been drawn twice. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}

/** What follows from what is drawn has begun, also where the clock of a page stands still: it is among the messages that it sends itself. */
export async function followed(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener('message', resolve)
        port1.start()
        port2.postMessage('')
      }),
  )
}

/** Another page of the console as a link would lead there. It is loaded where the heading would stay: on the same page with another tab. */
export async function follow(page: Page, address: string): Promise<void> {
  const to = new URL(address, page.url())
  if (to.pathname === new URL(page.url()).pathname) {
    await page.goto(to.href, { waitUntil: 'domcontentloaded' })
  } else {
    await page.evaluate((place) => {
      for (const heading of document.querySelectorAll('h1')) heading.dataset['before'] = ''
      history.pushState({}, '', place)
    }, address)
  }
  // The page before stays in the document, out of sight, for as long as the file of the next one is on its way.
  await expect(page.locator('h1[data-before]')).toHaveCount(0)
  await page.locator('h1').first().waitFor()
}

/**
 * What the browser keeps of the layout: choices, any text, or nothing. A page that is open shows it at once, without a
 * reload, as it does when another tab has changed it.
 */
export async function wear(page: Page, look: object | string | null): Promise<void> {
  const text = look === null || typeof look === 'string' ? look : JSON.stringify(look)
  await page.evaluate((stored) => {
    if (stored === null) localStorage.removeItem('layout')
    else localStorage.setItem('layout', stored)
    dispatchEvent(new StorageEvent('storage', { key: 'layout' }))
  }, text)
  // Even a transition without length begins with the old colour, until something has been drawn.
  await drawn(page)
}

/** Nothing lies to the side, once what moves with a new width has arrived. */
export async function fitsAcross(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth), page.url())
    .toBeLessThanOrEqual(page.viewportSize()?.width ?? 0)
}

/**
 * The bell keeps a question to the server open for as long as the page is there. Where a test waits until nothing is asked for any
 * more, the question is answered at once.
 */
export async function answerBell(page: Page): Promise<void> {
  await page.route('**/api/notifications/state*', (route) =>
    route.fulfill({ json: { unread: 0, mark: '0.' } }),
  )
}

/** What the frame of every page asks: who is here, what is new, and which organization is worked in. */
const frame =
  /\/api\/(auth\/|config|notifications\/|together\?of=%2Fauth%2Fsession%20%2Fnotifications%2Fstate(%20%2Forganizations%2F[\da-f-]{36})?$)/

/** Whether a page asks the server this for itself. */
export const asksForItself = (address: string): boolean => address.includes('/api/') && !frame.test(address)

/** Every reading goes its own way, so that a test can answer one of them: the page's first calls (web/first.js) come to nothing. */
export async function askEachAlone(page: Page): Promise<void> {
  await page.route('**/api/together?*', (route) => route.fulfill({ status: 503, json: {} }))
}

/** Presses the button of exactly this name. */
export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** Presses what stands behind the three dots of the page's head. */
export async function pressMore(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).press('Enter')
  await page.getByRole('dialog', { name: 'More actions' }).getByText(name, { exact: true }).click()
}

/** WCAG 2.0 to 2.2, levels A and AA. */
export const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

type Fault = { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }

function named(violations: readonly Fault[]): unknown[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => [id, target.join(' '), failureSummary]),
  )
}

/** Whatever appears while something looks has its final colours at once: half faded in, it would be a fault of the moment. */
async function whileStill(page: Page, look: () => Promise<Fault[]>): Promise<unknown[]> {
  const still = await page.evaluateHandle(async () => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('*, ::before, ::after { animation: none !important; transition: none !important }')
    document.adoptedStyleSheets.push(sheet)
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    return sheet
  })
  const violations = await look()
  await page.evaluate((sheet) => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
  }, still)
  return named(violations)
}

/** What axe finds, best practices included unless tags say less: rule, place and reason. */
export async function axeFaults(page: Page, tags?: readonly string[]): Promise<unknown[]> {
  const builder = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] })
  if (tags) builder.withTags([...tags])
  return whileStill(page, async () => (await builder.analyze()).violations)
}

type Axe = { axe: { run(within: object, options: object): Promise<{ violations: Fault[] }> } }

/** What these rules find in these parts of a page that `axeFaults` has looked at before: axe is still in it, which saves two thirds. */
export async function faultsAgain(
  page: Page,
  { rules, parts }: { rules: readonly string[]; parts: readonly string[] },
): Promise<unknown[]> {
  return whileStill(page, () =>
    page.evaluate(
      async ([values, include]) => {
        const { axe } = window as unknown as Axe
        return (await axe.run({ include }, { runOnly: { type: 'rule', values } })).violations
      },
      [rules, parts] as const,
    ),
  )
}

/** The chip of one question to the list in sight, answered or not. */
export const question = (page: Page, filter: string): Locator =>
  page.getByRole('toolbar', { name: 'Filters' }).getByRole('button', { name: new RegExp(`^${filter}(:|$)`) })

/** Narrows the list in sight by one of its first questions, by a value or its words; the menu is closed again. */
export async function narrow(page: Page, filter: string, choice: string): Promise<void> {
  await question(page, filter).click()
  const menu = page.getByRole('menu', { name: filter })
  const words = menu.getByRole('menuitemradio', { name: new RegExp(`^${choice}( [\\d,]+)?$`) })
  await menu.locator(`[value="${choice}"]`).or(words).click()
  await expect(menu).toBeHidden()
}

/** The further questions to the list in sight; on a phone, all of them. */
export async function openFilters(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^(More f|F)ilters$/ }).click()
  const panel = page.getByRole('dialog', { name: /^(More f|F)ilters$/ })
  await expect(panel).toBeVisible()
  return panel
}

/** Presses a row of the menu of the list in sight. */
export async function listOption(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'List options' }).click()
  await page.getByRole('dialog', { name: 'List options' }).getByText(name, { exact: true }).click()
}

/** The button at the end of the row of this name, with all that can be done with it. */
export const rowMenu = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole(
    'button',
    typeof name === 'string' ? { name: `Actions for ${name}`, exact: true } : { name },
  )

/** Does something with the row of this name. */
export async function rowAct(within: Page | Locator, name: string | RegExp, act: string): Promise<void> {
  await rowMenu(within, name).click()
  await within.getByRole('menu').getByRole('menuitem', { name: act, exact: true }).click()
}

/** All that the filters of a list find, as a file. */
export async function downloadList(page: Page, format: 'Excel' | 'PDF' | 'CSV'): Promise<void> {
  await listOption(page, 'Download')
  await page.getByRole('dialog', { name: 'Download' }).getByText(format, { exact: true }).click()
}

/** The chip of a filter that is on. */
export const chip = (page: Page, text: string): Locator =>
  page.getByRole('button', { name: `Remove the filter ${text}`, exact: true })

import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from '@playwright/test'
import { passphrase } from '../../e2e/client.ts'
import { openBrowser } from '../../e2e/browser.ts'
import { slowDown, weigh, type Weight } from './browser.ts'
import { bound, median, type Bound, type Figure } from '../figures.ts'
import { addOrganization, addVideo, installed, superadminEmail } from '../installation.ts'
import { interactions } from './phone.ts'

/** Two pages of 25. */
const people = 50
const rows = 25
/** Layout that settles late counts as well. */
const settleMs = 1_000

/** What a browser with an empty cache fetches from the running product, held against the budgets of the web app. */
export function weight(): Promise<Figure[]> {
  return installed(async (on) => {
    const browser = await openBrowser()
    try {
      const organizationId = await addOrganization(on, 'Weighed', people)
      const clip = { seconds: 6, width: 640, height: 360, style: 'orbits' } as const
      const videoId = await addVideo(on, organizationId, clip)
      return [
        ...(await consolePages(browser, on.url, organizationId)),
        ...(await videoPage(browser, `${on.url}/w/video/${videoId}`)),
      ]
    } finally {
      await browser.close()
    }
  })
}

/** Of every list page until its rows are there. */
const listBudgets = {
  js: 230,
  css: 18,
  fonts: 40,
  requests: 25,
  apiCalls: 2,
  jsFiles: 20,
  nodes: 900,
  layoutShift: 0.01,
}

async function consolePages(browser: Browser, url: string, organizationId: string): Promise<Figure[]> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const settled = () => pause(settleMs)
  const signIn = await weigh(page, `${url}/auth-1/sign-in`, settled)
  await page.fill('input[name=identifier]', superadminEmail)
  await page.fill('input[name=password]', passphrase)
  await page.click('button[type=submit]')
  await page.waitForURL('**/dashboard')
  const lists = [
    [
      'organizations',
      '/organizations',
      () => drawnIn(page, { selector: 'tbody th', text: 'Weighed', many: 1 }),
    ],
    ['content', '/content', () => page.locator('main img').first().waitFor()],
    ['users list', `/organizations/${organizationId}/dashboard?tab=users`, () => rowsOf(page)],
  ] as const
  const figures = lines('sign-in', signIn, { js: 85, total: 110, requests: 4, layoutShift: 0.01 })
  for (const [name, address, drawn] of lists)
    figures.push(...lines(name, await weigh(page, url + address, drawn), listBudgets))
  const dashboard = () => page.getByRole('region', { name: 'Since the beginning' }).waitFor()
  const budgets = { js: 260, requests: 18, apiCalls: 2, layoutShift: 0.01 }
  figures.push(...lines('dashboard', await weigh(page, `${url}/dashboard`, dashboard), budgets))
  figures.push(...(await interactions(page, url + lists[2][1])))
  await slowDown(page)
  const slow = { firstPaint: 600, layoutShift: 0.01 }
  figures.push(...lines('sign-in, slow', await weigh(page, `${url}/auth-1/sign-in`, settled), slow))
  for (const [name, address, drawn] of [lists[0], lists[2]]) {
    const opened = await openedOften(() => weigh(page, url + address, drawn))
    figures.push(...lines(`${name}, slow`, opened, { ...slow, drawn: 2_600 }))
  }
  await page.close()
  return figures
}

/** The median of each figure over several times: on a slow line a single one moves by a third. */
async function openedOften(open: () => Promise<Weight>): Promise<Weight> {
  const opened: Weight[] = []
  for (let n = 0; n < 5; n++) opened.push(await open())
  const keys = Object.keys(names) as (keyof Weight)[]
  return Object.fromEntries(keys.map((key) => [key, median(opened.map((one) => one[key]))])) as Weight
}

/** Rows with their text, not the skeletons before them. */
const rowsOf = (page: Page) => drawnIn(page, { selector: 'tbody tr', text: '@weight.test', many: rows })

/** The page looks with each frame: whoever looks from outside sees what is there half a second late. */
const drawnIn = (page: Page, drawn: { selector: string; text: string; many: number }) =>
  page.waitForFunction(
    ({ selector, text, many }) =>
      Array.from(document.querySelectorAll(selector)).filter((one) => one.textContent.includes(text))
        .length >= many,
    drawn,
    { polling: 'raf', timeout: 30_000 },
  )

async function videoPage(browser: Browser, url: string): Promise<Figure[]> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const loaded = await weigh(page, url, async () => undefined)
  const idle = await weigh(page, url, () => pause(settleMs * 3))
  await page.close()
  return [
    ...lines('video page, loaded', loaded, { js: 8, total: 80, media: 0 }),
    ...lines('video page, idle before play', idle, { media: 0, layoutShift: 0.01 }),
    { workload: 'video page, idle before play', what: 'JavaScript', unit: 'kB', ours: idle.js / 1000 },
  ]
}

const names: Record<keyof Weight, [what: string, unit: string]> = {
  js: ['JavaScript', 'kB'],
  css: ['CSS', 'kB'],
  fonts: ['fonts', 'kB'],
  media: ['video and sound', 'kB'],
  total: ['everything', 'kB'],
  requests: ['requests', ''],
  jsFiles: ['JavaScript files', ''],
  apiCalls: ['API calls', ''],
  nodes: ['DOM nodes', ''],
  firstPaint: ['first paint of content', 'ms'],
  largestPaint: ['largest paint', 'ms'],
  drawn: ['drawn', 'ms'],
  layoutShift: ['layout shift', ''],
}

/** A line for each budget, then the times, which depend on the machine too much to have one here. */
function lines(workload: string, weight: Weight, budgets: Partial<Record<keyof Weight, number>>): Figure[] {
  const line = (key: keyof Weight, target?: Bound): Figure => {
    const [what, unit] = names[key]
    const ours = unit === 'kB' ? weight[key] / 1000 : weight[key]
    return { workload, what, unit, ours, ...(target && { target }) }
  }
  const held = (Object.keys(names) as (keyof Weight)[]).flatMap((key) => {
    const budget = budgets[key]
    return budget === undefined ? [] : [line(key, bound(budget))]
  })
  const unheld = (['firstPaint', 'largestPaint'] as const).filter((key) => budgets[key] === undefined)
  return [...held, ...unheld.map((key) => line(key))]
}

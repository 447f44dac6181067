import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { BrowserContext } from '@playwright/test'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { signIn } from '../../e2e/console.ts'
import { openProfile } from '../../e2e/browser.ts'
import { bound, median, type Figure } from '../figures.ts'
import { addOrganization, addVideo, installed, type Installation } from '../installation.ts'

const rounds = 3
const amounts = { organizations: 30, people: 30, videos: 3 }

type Opened = {
  name: string
  address: string
  /** Score that is to be reached, of 100. */
  performance: number
  isDesktop?: boolean
  /** May be found by search engines. */
  isPublic?: boolean
}
type Filled = { videoId: string; transmissionId: string }

const publicPages = ({ videoId }: Filled): Opened[] => [
  { name: 'sign-in', address: '/auth-1/sign-in', performance: 100, isPublic: true },
  { name: 'video page', address: `/w/video/${videoId}`, performance: 100 },
]
const consolePages = ({ transmissionId }: Filled): Opened[] => [
  { name: 'organizations', address: '/organizations', performance: 90 },
  { name: 'dashboard', address: '/dashboard', performance: 90 },
  { name: 'content', address: '/content', performance: 90 },
  { name: 'transmission', address: `/transmissions/${transmissionId}`, performance: 90 },
  { name: 'organizations, desktop', address: '/organizations', performance: 100, isDesktop: true },
  { name: 'dashboard, desktop', address: '/dashboard', performance: 100, isDesktop: true },
]

/** Scores and times of the pages that are opened most. Where Lighthouse is installed stands in LIGHTHOUSE. */
export async function lighthouse(): Promise<Figure[]> {
  const folder = process.env['LIGHTHOUSE']
  if (folder === undefined) {
    console.log(
      '  lighthouse: install it (npm install lighthouse) and name its folder in LIGHTHOUSE; left out',
    )
    return []
  }
  const audit = await auditBy(folder)
  return installed(async (on) => {
    const filled = await fill(on)
    const profile = path.join(on.dataDir, 'profile')
    const browser = await openProfile(profile)
    const all = async (pages: Opened[]) => {
      const figures: Figure[] = []
      for (const page of pages) figures.push(...(await figuresOf(page, () => audit(on.url, page, profile))))
      return figures
    }
    try {
      const figures = await all(publicPages(filled))
      await rememberSession(browser, on)
      return [...figures, ...(await all(consolePages(filled)))]
    } finally {
      await browser.close()
    }
  })
}

/** The tab stays: a browser without any would end. */
async function rememberSession(browser: BrowserContext, on: Installation): Promise<void> {
  const [page = await browser.newPage()] = browser.pages()
  await signIn(page, on, on.client)
  await page.goto('about:blank')
}

async function fill(on: Installation): Promise<Filled> {
  const organizationId = await addOrganization(on, 'Weighed', amounts.people)
  for (let n = 2; n <= amounts.organizations; n++) await addOrganization(on, `Weighed ${n}`, 0)
  let videoId = ''
  for (let n = 0; n < amounts.videos; n++)
    videoId = await addVideo(on, organizationId, { seconds: 6, width: 640, height: 360, style: 'orbits' })
  const audience = { everyone: true, userIds: [], groupIds: [] }
  const body = { body: 'Please watch this.', videoId, accountId: organizationId, audience }
  const { id } = await on.client.call(createTransmission, { body })
  // Until the time in which it can be taken back is over and it has been written to everybody.
  await pause(15_000)
  return { videoId, transmissionId: id }
}

/** The console leaves a question about news open, so that its pages never fall silent. Milliseconds. */
const maxWaitForLoad = 15_000
const asked = ['performance', 'accessibility', 'best-practices', 'seo'] as const
const timed = ['total-blocking-time', 'cumulative-layout-shift', 'largest-contentful-paint'] as const

/** What is read of a result. A score is a share, and null where it could not be told. */
type Result = {
  categories: Record<(typeof asked)[number], { score: number | null }>
  audits: Record<(typeof timed)[number], { numericValue?: number }>
}
type Module = {
  default: (
    url: string,
    flags: { port: number; logLevel: 'error'; onlyCategories: readonly string[]; maxWaitForLoad: number },
    config?: unknown,
  ) => Promise<{ lhr: Result } | undefined>
  desktopConfig: unknown
}
type Audit = (origin: string, page: Opened, profile: string) => Promise<Result>

/** It opens a tab of its own with an empty cache; what is stored, such as who is signed in, stays. */
async function auditBy(folder: string): Promise<Audit> {
  const file = path.resolve(folder, 'node_modules/lighthouse/core/index.js')
  const { default: run, desktopConfig } = (await import(pathToFileURL(file).href)) as Module
  return async (origin, { address, isDesktop }, profile) => {
    const port = Number((await readFile(path.join(profile, 'DevToolsActivePort'), 'utf8')).split('\n')[0])
    const flags = { port, logLevel: 'error', onlyCategories: asked, maxWaitForLoad } as const
    const found = await run(origin + address, flags, isDesktop ? desktopConfig : undefined)
    if (!found) throw new Error(`Lighthouse says nothing about ${address}`)
    return found.lhr
  }
}

/** Medians of several runs. */
async function figuresOf(page: Opened, audit: () => Promise<Result>): Promise<Figure[]> {
  const results: Result[] = []
  for (let round = 0; round < rounds; round++) results.push(await audit())
  const { name: workload, isDesktop = false } = page
  const score = (category: (typeof asked)[number], least: number): Figure => ({
    workload,
    what: category,
    unit: '',
    ours: median(results.map(({ categories }) => 100 * (categories[category].score ?? 0))),
    target: { of: 'figure', least },
  })
  const value = (name: (typeof timed)[number]) =>
    median(results.map(({ audits }) => audits[name].numericValue ?? Infinity))
  const [blocked, shift, paint] = timed
  return [
    score('performance', page.performance),
    score('accessibility', 100),
    score('best-practices', 100),
    ...(page.isPublic ? [score('seo', 100)] : []),
    {
      workload,
      what: 'total blocking time',
      unit: 'ms',
      ours: value(blocked),
      ...(isDesktop ? {} : { target: bound(200) }),
    },
    { workload, what: 'layout shift', unit: '', ours: value(shift), target: bound(0.01) },
    { workload, what: 'largest paint', unit: 'ms', ours: value(paint) },
  ]
}

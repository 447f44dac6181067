import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from '@playwright/test'
import { openBrowser } from '../e2e/browser.ts'
import { slowDown } from './pages/browser.ts'
import { bound, median, type Figure } from './figures.ts'
import { addOrganization, addVideo, installed } from './installation.ts'

const rounds = 5
/** As heavy as what cameras take: without the noise of one, drawings weigh next to nothing. */
const clip = { seconds: 18, width: 1280, height: 720, fps: 25, style: 'orbits', grain: 20 } as const

/** What the page, opened for the first time, is seen with. */
const views = [
  { name: 'desktop', isSlow: false, most: 500 },
  { name: 'slow', isSlow: true, most: 1_800 },
] as const

/** From the press on play to the first frame of a video that was really uploaded, on its public page. */
export function play(): Promise<Figure[]> {
  return installed(async (on) => {
    const organizationId = await addOrganization(on, 'Played', 0)
    const url = `${on.url}/w/video/${await addVideo(on, organizationId, clip)}`
    const browser = await openBrowser()
    try {
      const figures: Figure[] = []
      for (const { name, isSlow, most } of views)
        for (const [what, before] of [
          ['pressed when the page was idle', engineIsThere],
          ['pressed at once', async () => undefined],
        ] as const) {
          const times = await timesOf(browser, { url, isSlow, before })
          const figure = { workload: `first frame, ${name}`, what, unit: 'ms', ours: median(times) }
          figures.push(before === engineIsThere ? { ...figure, target: bound(most) } : figure)
        }
      return figures
    } finally {
      await browser.close()
    }
  })
}

type Visit = { url: string; isSlow: boolean; before: (page: Page) => Promise<unknown> }

/** Of several visitors, each with an empty cache. */
async function timesOf(browser: Browser, { url, isSlow, before }: Visit): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    if (isSlow) await slowDown(page)
    await page.goto(url, { waitUntil: 'commit' })
    const button = page.locator('#start')
    await button.waitFor()
    await before(page)
    const shown = page.evaluate(firstFrame)
    await button.click()
    times.push(await shown)
    await context.close()
  }
  return times
}

/** What idle time fetches has arrived, and nobody moves for a moment. */
async function engineIsThere(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => /\/engine-[^/]*\.js$/.test(name)),
  )
  await pause(1_000)
}

/** Runs in the page: milliseconds from the press to the first frame that is shown. */
function firstFrame(): Promise<number> {
  const video = document.querySelector('video')
  return new Promise((resolve) => {
    let pressed = 0
    addEventListener('click', ({ timeStamp }) => (pressed = timeStamp), { capture: true, once: true })
    video?.requestVideoFrameCallback((now) => resolve(now - pressed))
  })
}

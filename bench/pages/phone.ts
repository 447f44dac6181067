import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { bound, median, type Figure } from '../figures.ts'

const rounds = 7
/** Until what a page does by itself after its rows has been done. */
const settleMs = 700
const rows = 25

/** What somebody does in a list of people; it is done when `shown` reads differently. */
type Deed = { what: string; mostMs: number; shown: string; press: (page: Page) => Promise<void> }

const firstName = 'main tbody tr:first-child th a'

const deeds: readonly Deed[] = [
  {
    what: 'a letter in the search',
    mostMs: 100,
    shown: 'main input[type=search]',
    press: async (page) => {
      await page.locator('main input[type=search]').focus()
      await page.keyboard.press('p')
    },
  },
  {
    what: 'sorting',
    mostMs: 150,
    shown: firstName,
    press: async (page) => {
      // Cards show no heads: it is the keyboard that comes by them.
      await page.locator('main th[aria-sort] button').focus()
      await page.keyboard.press('Enter')
    },
  },
  {
    what: 'next page',
    mostMs: 150,
    shown: firstName,
    press: (page) => page.getByRole('button', { name: 'Next page' }).click(),
  },
  {
    what: 'opening a record',
    mostMs: 200,
    shown: 'main h1',
    press: (page) => page.locator(firstName).click(),
  },
]

/** How long a finger waits on a phone with a quarter of this processor, on a list that has just been opened, without a slow network. */
export async function interactions(page: Page, url: string): Promise<Figure[]> {
  const cdp = await page.context().newCDPSession(page)
  await page.setViewportSize({ width: 412, height: 823 })
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const figures: Figure[] = []
  for (const deed of deeds) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await timeOf(page, url, deed))
    figures.push({
      workload: 'users list, phone',
      what: deed.what,
      unit: 'ms',
      ours: median(times),
      target: bound(deed.mostMs),
    })
  }
  await cdp.detach()
  return figures
}

async function timeOf(page: Page, url: string, { shown, press }: Deed): Promise<number> {
  await page.goto(url)
  await page
    .locator('main tbody th a')
    .nth(rows - 1)
    .waitFor()
  await pause(settleMs)
  const watch = await page.evaluateHandle(watchFor, shown)
  await press(page)
  return watch.evaluate(({ painted }) => painted)
}

/** Runs in the page: milliseconds from the next press until what is shown there reads differently and has been painted. */
function watchFor(shown: string) {
  const read = () => {
    const element = document.querySelector(shown)
    return element instanceof HTMLInputElement ? element.value : element?.textContent
  }
  const before = read()
  const painted = new Promise<number>((resolve) => {
    const begin = ({ timeStamp }: Event) => {
      const look = () => {
        const now = read()
        // A task that begins after the frame.
        if (now && now !== before) setTimeout(() => resolve(performance.now() - timeStamp))
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    }
    for (const press of ['pointerdown', 'keydown'])
      addEventListener(press, begin, { once: true, capture: true })
  })
  return { painted }
}

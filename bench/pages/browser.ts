import type { Page } from '@playwright/test'

/** Bytes as transferred, with headers and compressed; milliseconds since the navigation began. */
export type Weight = {
  js: number
  css: number
  fonts: number
  media: number
  total: number
  requests: number
  jsFiles: number
  apiCalls: number
  nodes: number
  firstPaint: number
  largestPaint: number
  /** When `drawn` was true. */
  drawn: number
  layoutShift: number
}

/** From now on the page is a cheap phone on a slow network: 412 px wide, a quarter of the processor, 1.6 Mbit/s, 150 ms. */
export async function slowDown(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  await page.setViewportSize({ width: 412, height: 823 })
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  })
}

type Fetched = { url: string; mime: string; bytes: number }
type Watching = { loaded: () => Fetched[]; stop: () => Promise<void> }

/** Opens a page with an empty cache and weighs what it fetched until `drawn` resolves. */
export async function weigh(page: Page, url: string, drawn: () => Promise<unknown>): Promise<Weight> {
  const { loaded, stop } = await watchNetwork(page)
  await page.goto(url, { waitUntil: 'load' })
  await drawn()
  const drawnAt = await page.evaluate(() => performance.now())
  const fetched = loaded()
  await stop()
  const bytesOf = (kind: RegExp) => sum(fetched.filter(({ mime }) => kind.test(mime)))
  const scripts = fetched.filter(({ mime }) => /javascript/.test(mime))
  return {
    js: sum(scripts),
    css: bytesOf(/css/),
    fonts: bytesOf(/font/),
    media: bytesOf(/^(video|audio)\/|mpegurl/),
    total: sum(fetched),
    requests: fetched.length,
    jsFiles: scripts.length,
    apiCalls: fetched.filter((one) => new URL(one.url).pathname.startsWith('/api/')).length,
    drawn: drawnAt,
    ...(await page.evaluate(readVitals)),
  }
}

function sum(fetched: Fetched[]): number {
  return fetched.reduce((bytes, one) => bytes + one.bytes, 0)
}

async function watchNetwork(page: Page): Promise<Watching> {
  const cdp = await page.context().newCDPSession(page)
  const all = new Map<string, Fetched>()
  await cdp.send('Network.enable')
  await cdp.send('Network.clearBrowserCache')
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    if (/^https?:/.test(response.url))
      all.set(requestId, { url: response.url, mime: response.mimeType, bytes: response.encodedDataLength })
  })
  // Counts what arrives, so that a download that goes on is weighed as far as it came.
  cdp.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    const one = all.get(requestId)
    if (one) one.bytes += encodedDataLength
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = all.get(requestId)
    if (one) one.bytes = encodedDataLength
  })
  return { loaded: () => structuredClone([...all.values()]), stop: () => cdp.detach() }
}

/** Runs in the page: what its visitor saw when, and how large it is. */
function readVitals() {
  const seen = (type: string) => {
    const observer = new PerformanceObserver(() => undefined)
    observer.observe({ type, buffered: true })
    const entries = observer.takeRecords()
    observer.disconnect()
    return entries
  }
  const shifts = seen('layout-shift').map((entry) => ('value' in entry ? Number(entry.value) : 0))
  return {
    nodes: document.querySelectorAll('*').length,
    firstPaint: seen('paint').find(({ name }) => name === 'first-contentful-paint')?.startTime ?? Number.NaN,
    largestPaint: seen('largest-contentful-paint').at(-1)?.startTime ?? Number.NaN,
    layoutShift: shifts.reduce((all, one) => all + one, 0),
  }
}

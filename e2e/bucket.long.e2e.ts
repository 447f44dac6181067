import { rm } from 'node:fs/promises'
import { expect, type Browser, type Page } from '@playwright/test'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { listOutbox } from '#contract/platform/system.ts'
import { listVideos } from '#contract/videos/videos.ts'
import { makeClip } from '#server/testing/media/clips.ts'
import { settingsOf } from '#server/testing/store/machines.ts'
import { hasSwift, startSwift, type Swift } from '#server/testing/store/swift.ts'
import { firstSuperadmin } from './client.ts'
import { axeFaults, fitsAcross, signedIn, wear } from './console.ts'
import { reach } from './playing.ts'
import { openFolder, startProduct, type Product } from './product.ts'
import { test as base } from './shared.ts'

/** Files lie in a bucket from the first start. */
type World = { product: Product; endpoint: string }

const inBucket = (name: string, settings: Record<string, string> = {}) =>
  async function given({}, use: (world: World) => Promise<void>) {
    const swift: Swift = await startSwift()
    const place = await swift.bucket(name)
    const dataDir = await openFolder()
    const product = await startProduct({ ...settingsOf(place), ...settings, DATA_DIR: dataDir })
    await swift.openTo(name, product.url)
    await use({ product, endpoint: swift.endpoint })
    await product.stop()
    await swift.stop()
    await rm(dataDir, { recursive: true, force: true })
  }

const test = base.extend<{ own: World; signed: World }>({
  own: [inBucket('own'), { timeout: 120_000 }],
  signed: [inBucket('signed', { MEDIA_URLS: 'signed' }), { timeout: 120_000 }],
})
const withStore = (title: string, body: Parameters<typeof test>[2]) =>
  hasSwift ? test(title, body) : test.fixme(title, body)
/** Uploads a film in the console and sends it; opens it by the link of the mail, and plays most of it. */
async function uploadedAndWatched({ page, browser }: { page: Page; browser: Browser }, product: Product) {
  const client = await firstSuperadmin(product)
  const { id: orgId } = await client.call(createOrganization, { body: { name: 'Bucket Ltd' } })
  const console = await signedIn(browser, product, client)
  const film = base.info().outputPath('Ladders.mp4')
  await makeClip({ file: film, seconds: 8, width: 640, height: 360, style: 'orbits' })
  await console.goto(`${product.url}/content?organization=${orgId}`)
  const chooser = console.waitForEvent('filechooser')
  await console.getByRole('button', { name: 'Upload videos' }).first().click()
  await (await chooser).setFiles(film)
  const card = console
    .getByRole('list', { name: 'Videos' })
    .getByRole('listitem')
    .filter({ hasText: 'Ladders' })
  await expect(card).toContainText('Ready', { timeout: 120_000 })
  // Its picture comes from the bucket too.
  await expect(card.locator('img').first()).toHaveJSProperty('complete', true)
  const [video] = (await client.call(listVideos, { query: { organizationId: orgId } })).items
  const videoId = video?.id ?? ''
  const person = { name: 'Dora Reader', email: 'dora.reader@example.test' }
  const userId = (await client.call(createUser, { params: { orgId }, body: person })).id
  await client.call(createTransmission, {
    body: { body: 'Please watch this.', videoId, accountId: orgId, userId },
  })
  const link = await linkTo(client, product)
  const segments: string[] = []
  page.on('response', (answer) => {
    if (/\.m4s(\?|$)/.test(answer.url()) && answer.ok()) segments.push(new URL(answer.url()).origin)
  })
  await page.goto(link)
  await page.getByRole('button', { name: /^Play:/ }).click()
  await reach(page, 7, { pause: true })
  const evidence = () => client.call(readEvidence, { params: { orgId, userId, videoId } })
  await expect
    .poll(async () => (await evidence()).versions[0]?.watchedMs ?? 0, { timeout: 30_000 })
    .toBeGreaterThan(5_000)
  await expect.poll(async () => (await evidence()).state, { timeout: 30_000 }).not.toBe('checking')
  return { console, segments: new Set(segments), state: (await evidence()).state }
}

async function linkTo(
  client: Awaited<ReturnType<typeof firstSuperadmin>>,
  product: Product,
): Promise<string> {
  let found: string | undefined
  await expect(async () => {
    const { items } = await client.call(listOutbox, { query: { q: 'dora.reader' } })
    found = items.map(({ text }) => /\/w\/video\/\S+/.exec(text)?.[0]).find(Boolean)
    expect(found).toBeDefined()
  }).toPass({ timeout: 30_000 })
  return product.url + (found ?? '')
}

withStore(
  'what is uploaded in the console lies in the bucket, plays from there, and is proven (needs the packages of Swift)',
  async ({ page, browser, own }) => {
    const { console, segments, state } = await uploadedAndWatched({ page, browser }, own.product)
    expect([...segments]).toEqual([own.product.url])
    expect(state).toBe('proven')
    await console.goto(`${own.product.url}/settings?tab=storage`)
    const main = console.getByRole('main')
    await expect(main).toContainText(`${new URL(own.endpoint).host}/own`)
    await expect(main).toContainText('Store of files')
    for (const width of [1366, 390]) {
      await console.setViewportSize({ width, height: 800 })
      for (const theme of ['light', 'dark']) {
        await wear(console, { theme })
        expect(await axeFaults(console)).toEqual([])
      }
      await fitsAcross(console)
    }
  },
)

withStore(
  'by addresses that the store has signed, browsers fetch segments from it alone, and evidence is likely (needs the packages of Swift)',
  async ({ page, browser, signed }) => {
    const { segments, state } = await uploadedAndWatched({ page, browser }, signed.product)
    expect([...segments]).toEqual([signed.endpoint])
    expect(state).toBe('likely')
  },
)

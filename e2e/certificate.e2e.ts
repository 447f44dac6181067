import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { createUser } from '#contract/directory/users.ts'
import { unique } from '#server/testing/unique.ts'
import type { Client } from './client.ts'
import { axeFaults } from './console.ts'
import { mailed, mailedLink, mailedTo } from './mailed.ts'
import { reach } from './playing.ts'
import { readyVideo } from './upload.ts'

type World = {
  client: Client
  orgId: string
  userId: string
  email: string
  link: string
}

/** A page says that a code is mailed only where there is a mail server. */
const test = mailed.extend<{ world: World }>({
  world: async ({ mailbox, shared: product, superadmin: client }, use) => {
    const orgId = (await client.call(createOrganization, { body: { name: 'Köhler & Söhne' } })).id
    const where = { url: product.url, client, organizationId: orgId }
    const videoId = await readyVideo(where, { seconds: 14, width: 320 })
    const person = { name: 'Zoë Ωmega', email: `zoe-${unique()}@example.test` }
    const userId = (await client.call(createUser, { params: { orgId }, body: person })).id
    const audience = { everyone: true, userIds: [], groupIds: [] }
    const body = { body: 'Please watch.', videoId, accountId: orgId, audience }
    await client.call(createTransmission, { body })
    const { email } = person
    await use({ client, orgId, userId, email, link: await mailedLink(mailbox, email) })
  },
})

/** The folder of a test is removed when the test has passed. */
const fileOf = (name: string) => test.info().outputPath(name)

const at = (page: Page) => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)

/** Presses what saves a file, and gives where it lies. */
async function saved(page: Page, name: string | RegExp, file: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ])
  if (file.endsWith('.pdf')) expect(download.suggestedFilename()).toMatch(/^certificate-zoe[\w-]*\.pdf$/)
  const target = fileOf(file)
  await download.saveAs(target)
  return target
}

test('whoever has watched takes the certificate and their data along', async ({
  browser,
  page,
  mailbox,
  world: { email, link },
}) => {
  await test.step('a recipient sees what is missing, plays just that, and takes the certificate along', async () => {
    await page.goto(link)
    const receipt = page.getByRole('region', { name: 'What you have seen' })
    await expect(receipt).toBeEmpty()
    await page.getByRole('button', { name: /^Play:/ }).click()
    await reach(page, 3, { seek: 8 })
    await page.waitForFunction(() => document.querySelector('video')?.ended)
    await expect(receipt).toContainText(/You have seen 6\d%\. 0:0[56] left\./)
    await expect(receipt.getByRole('listitem')).toHaveText(/^0:0[23] to 0:08/)
    expect(await axeFaults(page)).toEqual([])

    // Somebody who comes back is told before anything was played.
    await page.reload()
    await expect(receipt).toContainText(/seen 6\d%/)
    const began = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const video = document.querySelector('video')
          video?.addEventListener('playing', () => resolve(video.currentTime), { once: true })
        }),
    )
    await receipt.getByRole('button', { name: /^Play 0:0[23] to 0:08$/ }).click()
    expect(await began).toBeLessThan(7)
    await page.waitForFunction(() => {
      const video = document.querySelector('video')
      return video?.paused && video.currentTime > 8
    })
    expect(await at(page)).toBeLessThan(12)
    await expect(receipt).toContainText('Completed on ')
    const pdf = await readFile(await saved(page, 'Download your certificate', 'own.pdf'))
    expect(pdf.toString('latin1', 0, 5)).toBe('%PDF-')
    expect(pdf.toString('utf8')).toContain('"name":"Zoë Ωmega"')
  })

  await test.step('whoever comes back gets the page first, and what was recorded after it', async () => {
    const again = await (await browser.newContext()).newPage()
    await again.goto(link)
    await expect(again.getByRole('region', { name: 'What you have seen' })).toContainText('Completed on ')
    const { paint, scripts } = await again.evaluate(() => ({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      scripts: performance
        .getEntriesByType('resource')
        .filter((one): one is PerformanceResourceTiming => one.name.endsWith('.js'))
        .map(({ name, startTime, transferSize }) => ({ name, startTime, transferSize })),
    }))
    const first = scripts.filter(({ startTime }) => startTime <= paint)
    expect(first.reduce((sum, { transferSize }) => sum + transferSize, 0)).toBeLessThanOrEqual(8_000)
    // What records and sends is a file of its own, for the player in the console has it too.
    const called = first.map(({ name }) => /\/(\w+)-[^/]*$/.exec(name)?.[1])
    expect(called).toHaveLength(2)
    expect(called).toEqual(expect.arrayContaining(['watch', 'recorder']))
    expect(scripts.some(({ name }) => name.includes('/own-'))).toBe(false)
    await again.context().close()
  })

  await test.step('a recipient takes their own data along, in words that say what it is', async () => {
    await page.goto(link)
    await page.getByRole('button', { name: 'Your data' }).click()
    const panel = page.getByRole('region', { name: 'Your data' })
    await expect(panel).toContainText('You can download what Köhler & Söhne keeps about you')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeFaults(page)).toEqual([])
    }
    await page.getByRole('button', { name: 'Mail me a code' }).click()
    await expect(panel.getByRole('status')).toContainText('A code was written to z•••@example.test')
    const code = await mailedTo(mailbox, email, /asks for everything that is kept about you[^]*?\b(\d{6})\b/)
    await panel.getByRole('textbox', { name: 'Code' }).fill(code)
    const file = await readFile(await saved(page, 'Download your data', 'own.json'), 'utf8')
    await expect(panel.getByRole('status')).toContainText('Downloaded.')
    const data = JSON.parse(file) as Record<'messages' | 'sessions' | 'certificates', object[]>
    expect(data.messages).toMatchObject([{ address: email }])
    expect(data.sessions.length).toBeGreaterThan(1)
    expect(data.certificates).toHaveLength(1)
    await panel.getByRole('button', { name: 'Close' }).click()
    await expect(page.getByRole('button', { name: 'Your data' })).toBeFocused()
  })
})

test('what an administrator issues is verified, sealed, and told from what was changed', async ({
  browser,
  page,
  open,
  world: { client, orgId, userId, link },
}) => {
  const issued = fileOf('issued.pdf')
  const json = fileOf('issued.json')
  await page.goto(link)
  await page.getByRole('button', { name: /^Play:/ }).click()
  await page.waitForFunction(() => document.querySelector('video')?.ended)
  await saved(page, 'Download your certificate', 'own.pdf')

  await test.step('an administrator issues it and downloads it; changed by one byte it is not genuine any more', async () => {
    const console = await open(client)
    await console.goto(`/organizations/${orgId}/users/${userId}?tab=certificates`)
    // The one that the recipient has taken.
    await expect(console.getByRole('table')).toContainText('Themselves')
    await console.getByRole('button', { name: 'Issue a certificate' }).click()
    await saved(console, 'Issue and download', 'issued.pdf')
    await expect(console.getByRole('table').getByRole('row')).toHaveCount(2)
    await saved(console, /as JSON$/, 'issued.json')
    expect(await axeFaults(console)).toEqual([])

    const requests: string[] = []
    await page.goto('/verify')
    page.on('request', (request) => requests.push(request.url()))
    await page.setInputFiles('#files', [issued, json])
    const results = page.getByRole('status')
    await expect(results.getByText('Genuine', { exact: true })).toHaveCount(2)
    await expect(results).toContainText('Issued for Zoë Ωmega by Köhler & Söhne')
    await expect(results).toContainText('The pages of the PDF are as they were issued, too.')
    const doubtful = results.getByText('What the file says of itself, and what nobody vouches for:')
    await expect(doubtful).toHaveCount(0)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeFaults(page)).toEqual([])
    }

    await page.setInputFiles('#files', [
      await flipped(json, '"share":'),
      await flipped(issued, '"share":'),
      await flipped(issued, '/Author'),
    ])
    await expect(results.getByText('Altered', { exact: true })).toHaveCount(2)
    await expect(results.getByText('Genuine text in a changed PDF')).toHaveCount(1)
    await expect(doubtful).toHaveCount(2)
    expect(requests).toEqual([])
  })

  await test.step('the seal in a file locks with what was signed, and what was changed in it is shown and said', async () => {
    const { hash } = JSON.parse(await readFile(json, 'utf8')) as { hash: string }
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.goto('/verify')
    const seal = page.getByRole('figure', { name: 'Seal' })

    await page.evaluate(() => {
      document.addEventListener('animationend', ({ animationName }) => {
        document.body.dataset['moved'] = animationName
      })
    })
    await page.setInputFiles('#files', issued)
    await expect(page.locator('body')).toHaveAttribute('data-moved', 'close')
    await expect(seal).toContainText('is what was signed, to the millisecond')
    await expect(seal.locator('code')).toHaveText(hash.slice(0, 8))
    await expect(seal).toHaveAttribute('data-seal', 'locked')
    expect(await distance(seal)).toBe(0)
    await expect(seal.locator('.lock')).toBeVisible()

    // Nothing moves for whoever wants it so, and the same is said.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const bar = / rg \d+ 4 (\d+) 8 re f/
    const shorter = await edited(issued, 'shorter.pdf', (text) =>
      text.replace(bar, (line, length: string) => line.replace(` ${length} `, ` ${Number(length) - 1_000} `)),
    )
    await page.setInputFiles('#files', shorter)
    await expect(page.getByText('Genuine text under a changed seal')).toBeVisible()
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    await expect(seal).toContainText(/but not drawn: 0:\d\d\.\d{3} to 0:\d\d\.\d{3}\./)
    expect(await distance(seal)).toBeGreaterThan(16)
    await expect(seal.locator('.odd')).toHaveCount(1)
    await expect(seal.locator('.lock')).toBeHidden()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeFaults(page)).toEqual([])
    }

    // The pages alone were changed: the drawing fits, and nobody says that it is what they show.
    await page.setInputFiles('#files', await flipped(issued, '/Author'))
    await expect(seal).toContainText('Whether its pages show that drawing is not certain')
    await expect(seal.locator('.lock')).toBeHidden()

    const renamed = await edited(issued, 'renamed.pdf', (text) => text.replace('"name":"Zo', '"name":"Jo'))
    await page.setInputFiles('#files', renamed)
    await expect(page.getByText('Altered', { exact: true })).toBeVisible()
    await expect(seal).toContainText('That proves nothing')
    await expect(seal.locator('.lock')).toBeHidden()

    // Neither JSON nor what was issued before has one of its own.
    await page.setInputFiles('#files', [json, 'web/verify/first-format.txt'])
    await expect(seal).toHaveCount(2)
    await expect(page.getByText('Genuine', { exact: true })).toHaveCount(1)
    for (const one of await seal.all()) await expect(one).toContainText('carries no seal of its own')
  })

  await test.step('the page works from a saved file, and knows its own installation only', async () => {
    await page.goto('/verify')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save this page' }).click(),
    ])
    const file = fileOf('verify.html')
    await download.saveAs(file)
    const offline = await (await browser.newContext({ offline: true })).newPage()
    await offline.goto(`file://${file}`)
    await offline.setInputFiles('#files', issued)
    await expect(offline.getByRole('status').getByText('Genuine', { exact: true })).toBeVisible()
    await expect(offline.getByRole('figure', { name: 'Seal' })).toHaveAttribute('data-seal', 'locked')

    const text = await readFile(json, 'utf8')
    const foreign = fileOf('foreign.json')
    await writeFile(foreign, text.replace(/"keyId":"\w{16}"/, '"keyId":"0123456789abcdef"'))
    await offline.setInputFiles('#files', foreign)
    await expect(offline.getByRole('status')).toContainText('Of another installation')
    await expect(offline.getByRole('status')).toContainText('0123456789abcdef')
  })
})

/** How far the two strips lie from each other once they have come to rest, in px. */
function distance(seal: Locator): Promise<number> {
  return seal.evaluate(async (figure) => {
    await Promise.all(figure.getAnimations({ subtree: true }).map(({ finished }) => finished))
    const [drawn = 0, written = 0] = ['.drawn', '.written'].map(
      (name) => figure.querySelector(name)?.getBoundingClientRect().top,
    )
    return written - drawn
  })
}

/** A copy whose bytes somebody has changed. */
async function edited(file: string, name: string, change: (text: string) => string): Promise<string> {
  const before = await readFile(file, 'latin1')
  const after = change(before)
  expect(after).not.toBe(before)
  const copy = fileOf(name)
  await writeFile(copy, after, 'latin1')
  return copy
}

/** A copy with one other byte, behind the first place of these words. */
async function flipped(file: string, words: string): Promise<string> {
  const bytes = await readFile(file)
  const place = bytes.indexOf(words) + words.length + (words.startsWith('/') ? 2 : 0)
  bytes.writeUInt8(bytes.readUInt8(place) === 57 ? 56 : bytes.readUInt8(place) + 1, place)
  const copy = fileOf(`flipped-${words.replaceAll(/\W/g, '')}-${path.basename(file)}`)
  await writeFile(copy, bytes)
  return copy
}

import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from '@playwright/test'
import { login } from '#contract/auth.ts'
import { listDeliveries } from '#contract/deliveries.ts'
import { listGroups } from '#contract/groups.ts'
import { listOrganizations } from '#contract/organizations.ts'
import { listTransmissions } from '#contract/transmissions.ts'
import { listVideos } from '#contract/videos.ts'
import { skinNames } from '#web/ui/skins.ts'
import { keysOf } from '#server/platform/keys.ts'
import { entered } from '#server/testing/entered.ts'
import { linkHash, personalLink } from '#server/transmissions/link.ts'
import { openBrowser } from '../../bench/browser.ts'
import { assigned } from '../assigned.ts'
import { clientOf, type Client } from '../client.ts'
import { drawn, signIn, wear } from '../console.ts'
import { startProduct, type Product } from '../product.ts'
import { pairs, picturedPages, skinned, type Ids, type Pictured } from './pages.ts'
import { drawSheet } from './sheet.ts'

const usage = `npm run pictures -- [options] [names of pages]
  --readme        only the picture of README.md, into docs/pictures
  --into FOLDER   where the pictures and sheets are written (.cache/pictures)
  --beside FOLDER pictures of other consoles; with it, pairs are laid side by side`

const sizes = [
  { width: 1366, height: 800 },
  { width: 390, height: 844 },
] as const
const themes = ['light', 'dark'] as const
const demoPassphrase = 'sendreel demo passphrase'

type Setting = { size: (typeof sizes)[number]; theme: (typeof themes)[number]; skin?: string }
const settings = sizes.flatMap((size) => themes.map((theme): Setting => ({ size, theme })))
const suffixOf = ({ size, theme, skin }: Setting) => `${size.width}-${theme}${skin ? `-${skin}` : ''}`

type Taking = {
  browser: Browser
  product: Product
  readers: Record<'admin' | 'superadmin', Client>
  into: string
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      into: { type: 'string', default: path.join('.cache', 'pictures') },
      beside: { type: 'string' },
      readme: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const into = path.resolve(values.into)
  await mkdir(into, { recursive: true })
  // The demo's data stays there for the next time.
  const product = await startProduct({ DATA_DIR: path.join(into, 'data') }, ['--demo'])
  const browser = await openBrowser()
  try {
    const readers = { admin: await reader(product, 'admin'), superadmin: await reader(product, 'superadmin') }
    const taking = { browser, product, readers, into }
    if (values.readme) return await takeForReadme(taking)
    const { ids, link } = await thingsOf(product, readers.admin)
    const all = picturedPages(ids, link)
    const chosen = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
    for (const setting of settings) await take(taking, setting, chosen)
    for (const setting of settings) await sheetOf(taking, setting, chosen)
    if (positionals.length === 0) await takeSkins(taking, all)
    if (values.beside) await layPairs(taking, path.resolve(values.beside))
    console.log(`The pictures are in ${into}`)
  } finally {
    await browser.close()
    await product.stop()
  }
}

async function reader(product: Product, name: string): Promise<Client> {
  const body = { identifier: `${name}@demo.test`, password: demoPassphrase }
  const { token } = entered(await clientOf(product.url, '').call(login, { body }))
  return clientOf(product.url, token)
}

/** One of everything, with something to see: the transmission that most people have opened, and somebody who is under way in it. */
async function thingsOf(product: Product, client: Client): Promise<{ ids: Ids; link: string }> {
  const organization = first((await client.call(listOrganizations)).items)
  const params = { orgId: organization.id }
  const group = first((await client.call(listGroups, { params })).items)
  const sent = await mostOpened(client)
  const deliveries = await client.call(listDeliveries, { params: { transmissionId: sent.id } })
  const partly = deliveries.items.find(({ share }) => share !== null && share > 0.1 && share < 0.9)
  const delivery = partly ?? first(deliveries.items)
  const secret = await readFile(path.join(product.dataDir, 'secret-key'), 'utf8')
  const keys = keysOf(secret.trim())
  const link = personalLink(keys, {
    publicUrl: '',
    videoId: sent.video?.id ?? '',
    deliveryId: delivery.id,
    linkHash: linkHash(keys, delivery.id).toString('hex'),
  })
  const userIds = deliveries.items.map(({ user }) => user.id)
  const assignmentId = await assigned(client, {
    orgId: organization.id,
    videoId: sent.video?.id ?? '',
    userIds,
    name: `${sent.video?.title ?? ''}, every year`,
  })
  const ready = (await client.call(listVideos, { query: { state: 'ready' } })).items
  const other = first(ready.filter(({ organizationId }) => organizationId === organization.id))
  await assigned(client, {
    orgId: organization.id,
    videoId: other.id,
    userIds,
    name: other.title,
    waitsForId: assignmentId,
  })
  const ids = {
    orgId: organization.id,
    userId: delivery.user.id,
    groupId: group.id,
    videoId: sent.video?.id ?? '',
    transmissionId: sent.id,
    assignmentId,
    operationId: '',
  }
  return { ids, link }
}

/** The transmission that most people have opened. */
async function mostOpened(client: Client) {
  const { items } = await client.call(listTransmissions)
  return first(items.toSorted((one, other) => other.opened - one.opened))
}

function first<Item>(items: readonly Item[]): Item {
  const [item] = items
  if (item === undefined) throw new Error('The demo has nothing of the kind')
  return item
}

/** What the product is for in one picture: who has watched which parts. */
async function takeForReadme({ browser, product, readers }: Taking): Promise<void> {
  const { id } = await mostOpened(readers.admin)
  const file = path.resolve(import.meta.dirname, '../../docs/pictures/transmission.png')
  const context = await browser.newContext({
    viewport: { width: 1366, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await signIn(page, product, readers.admin)
  await open(page, product, { name: 'readme', address: `/transmissions/${id}`, reader: 'admin' })
  await page.screenshot({ path: file })
  await context.close()
  console.log(`The picture of README.md is ${file}`)
}

/** A browser of its own for each way of looking, so that no choice is left over from the one before. */
async function take(
  { browser, product, readers, into }: Taking,
  setting: Setting,
  pages: readonly Pictured[],
) {
  const { size, theme, skin } = setting
  for (const who of ['nobody', 'admin', 'superadmin'] as const) {
    const context = await browser.newContext({ viewport: size, colorScheme: theme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    if (who !== 'nobody') await signIn(page, product, readers[who])
    else await page.goto(`${product.url}/api/health`)
    await wear(page, { theme, ...(skin && { skin }) })
    for (const one of pages.filter(({ reader: by }) => by === who)) {
      await open(page, product, one)
      await page.screenshot({ path: path.join(into, `${one.name}-${suffixOf(setting)}.png`) })
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
    await context.close()
  }
  console.log(`  ${suffixOf(setting)}`)
}

async function open(page: Page, product: Product, { address, answers, press = [] }: Pictured): Promise<void> {
  if (answers) return openUnanswered(page, product.url + address, answers)
  await page.goto(product.url + address)
  await settled(page)
  for (const { role, name } of press) {
    await page.getByRole(role, { name }).first().click()
    await settled(page)
  }
}

async function openUnanswered(page: Page, url: string, answers: 'none' | 'lost'): Promise<void> {
  // The session is restored, so that what waits is the page.
  await page.route(/\/api\/(?!auth\/|together\?of=%2Fauth)/, (route) =>
    answers === 'lost' ? route.abort() : undefined,
  )
  await page.goto(url)
  await page.locator('main :is(h1, [role=alert], [role=status])').first().waitFor()
  await page.waitForTimeout(pendingMs)
  await drawn(page)
}

/** What is waited for before a page draws a skeleton, and some more. */
const pendingMs = 700

/** The bell keeps a question open for ever, so the network is never idle: what counts is that no skeleton is left. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.waitForTimeout(pendingMs)
  await page.waitForFunction(() => document.querySelector('[data-part=bone]') === null)
  await page.evaluate(async () => {
    await document.fonts.ready
    const pictures = [...document.images].filter(({ loading }) => loading !== 'lazy')
    await Promise.all(pictures.map((picture) => picture.decode().catch(() => undefined)))
  })
  await drawn(page)
}

async function sheetOf({ browser, into }: Taking, setting: Setting, pages: readonly Pictured[]) {
  const ending = `${suffixOf(setting)}.png`
  const pictures = pages.map(({ name }) => ({ title: name, file: path.join(into, `${name}-${ending}`) }))
  await drawSheet(browser, { pictures, size: setting.size, into: path.join(into, `sheet-${ending}`) })
}

async function takeSkins(taking: Taking, all: readonly Pictured[]): Promise<void> {
  const pages = all.filter(({ name }) => skinned.includes(name))
  const [size] = sizes
  for (const theme of themes) {
    for (const skin of skinNames) await take(taking, { size, theme, skin }, pages)
    const pictures = skinNames.flatMap((skin) =>
      pages.map(({ name }) => ({
        title: `${skin}: ${name}`,
        file: path.join(taking.into, `${name}-${suffixOf({ size, theme, skin })}.png`),
      })),
    )
    const into = path.join(taking.into, `skins-${theme}.png`)
    await drawSheet(taking.browser, { pictures, size, columns: pages.length, into })
  }
}

/** Where the others have no picture of a size or theme, the pair is left out. */
async function layPairs({ browser, into }: Taking, beside: string): Promise<void> {
  for (const setting of settings) {
    const ending = `${suffixOf(setting)}.png`
    const pictures = pairs.flatMap(({ kind, ours, theirs }) =>
      theirs.flatMap((name) => {
        const file = path.join(beside, `${name}-${ending}`)
        const own = { title: `${kind}: ours`, file: path.join(into, `${ours}-${ending}`) }
        return existsSync(file) ? [own, { title: name, file }] : []
      }),
    )
    const sheet = path.join(into, `pairs-${ending}`)
    await drawSheet(browser, {
      pictures,
      size: setting.size,
      columns: setting.size.width > 1_000 ? 2 : 4,
      into: sheet,
    })
  }
}

await main()

import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from '@playwright/test'
import { skinNames } from '#web/ui/look/skins.ts'
import type { Client } from '../client.ts'
import { openBrowser } from '../browser.ts'
import { drawn, signIn, wear } from '../console.ts'
import { startProduct, type Product } from '../product.ts'
import { pairs, picturedPages, skinned, type Pictured, type Press } from './pages.ts'
import { drawSheet } from './sheet.ts'
import { mostOpened, reader, thingsOf } from './things.ts'

const usage = `npm run pictures -- [options] [names of pages]
  --readme        only the picture of README.md, into docs/pictures
  --into FOLDER   where the pictures and sheets are written (.cache/pictures)
  --beside FOLDER pictures of other consoles; with it, pairs are laid side by side`

const sizes = [
  { width: 1366, height: 800 },
  { width: 390, height: 844 },
] as const
const themes = ['light', 'dark'] as const

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
    const { ids, personal } = await thingsOf(product, readers.admin)
    const all = picturedPages(ids, personal)
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
      const picture = path.join(into, `${one.name}-${suffixOf(setting)}.png`)
      await page.screenshot({ path: picture, fullPage: one.whole ?? false })
      await pressAll(page, one.undo)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
    await context.close()
  }
  console.log(`  ${suffixOf(setting)}`)
}

async function open(
  page: Page,
  product: Product,
  { address, answers, press, file }: Pictured,
): Promise<void> {
  if (answers) return openUnanswered(page, product.url + address, answers)
  await page.goto(new URL(address, product.url).href)
  await settled(page)
  if (file) {
    const buffer = Buffer.from(file)
    await page.setInputFiles('input[type=file]', {
      name: 'certificate.pdf',
      mimeType: 'application/pdf',
      buffer,
    })
    await page.getByRole('status').getByText('Genuine', { exact: true }).waitFor()
  }
  await pressAll(page, press)
}

async function pressAll(page: Page, presses: readonly Press[] = []): Promise<void> {
  for (const press of presses) {
    if ('key' in press) await page.keyboard.press(press.key)
    else {
      const control = page.getByRole(press.role, { name: press.name }).first()
      // On a telephone it lies among the others.
      if ((await control.count()) === 0) await page.getByRole('button', { name: 'More actions' }).click()
      await control.click()
    }
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
  await page.locator('h1, table').first().waitFor()
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

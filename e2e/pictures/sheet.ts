import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Browser } from '@playwright/test'

type Picture = { title: string; file: string }
type Sheet = {
  pictures: readonly Picture[]
  /** Pixels of each picture. */
  size: { width: number; height: number }
  columns?: number
  /** File of the sheet. */
  into: string
}

/** Pixels; several pictures of a phone stand in the place of one of a screen. */
const sheetWidth = 2_000

/** Lays pictures in rows, each below its title: a browser is all that is needed to make one picture of many. */
export async function drawSheet(browser: Browser, { pictures, size, columns, into }: Sheet): Promise<void> {
  const across = columns ?? (size.width > 1_000 ? 4 : 8)
  const there = pictures.filter(({ file }) => existsSync(file))
  const figures = await Promise.all(
    there.map(async ({ title, file }) => {
      const data = (await readFile(file)).toString('base64')
      return `<figure><figcaption>${title}</figcaption><img src="data:image/png;base64,${data}"></figure>`
    }),
  )
  const page = await browser.newPage({ viewport: { width: sheetWidth, height: 1_000 } })
  await page.setContent(
    `<style>body{display:grid;grid-template-columns:repeat(${across},minmax(0,1fr));gap:16px;margin:16px;background:#888;font:14px sans-serif}figure{margin:0}img{display:block;width:100%}</style>${figures.join('')}`,
  )
  await page.evaluate(() => Promise.all([...document.images].map((picture) => picture.decode())))
  await page.screenshot({ path: into, fullPage: true })
  await page.close()
}

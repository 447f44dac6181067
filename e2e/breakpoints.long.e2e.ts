import { MantineProvider, SimpleGrid } from '@mantine/core'
import { expect, test } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { theme } from '#web/ui/look/theme.ts'

const edges = { sm: 576, md: 768, lg: 992, xl: 1200, xxl: 1400 }

test('a grid of the console changes its columns exactly at the five breakpoints', async ({ page }) => {
  const inPixels = Object.entries(theme.breakpoints ?? {}).map(([name, em]) => [
    name,
    Number.parseFloat(em ?? '') * 16,
  ])
  expect(Object.fromEntries(inPixels)).toEqual({ xs: 0, ...edges })
  const cells = Array.from({ length: 6 }, (_, key) => createElement('p', { key }, key))
  const cols = { base: 1, sm: 2, md: 3, lg: 4, xl: 5, xxl: 6 }
  const grid = renderToStaticMarkup(
    createElement(MantineProvider, { theme }, createElement(SimpleGrid, { cols }, cells)),
  )
  const styles = await readFile(new URL(import.meta.resolve('@mantine/core/styles/SimpleGrid.css')), 'utf8')
  await page.setContent(`<style>${styles}</style>${grid}`)
  const columns = () =>
    page
      .locator('.mantine-SimpleGrid-root')
      .evaluate((element) => getComputedStyle(element).gridTemplateColumns.split(' ').length)
  for (const [at, edge] of Object.values(edges).entries()) {
    await page.setViewportSize({ width: edge - 1, height: 400 })
    await expect.poll(columns, `below ${edge}`).toBe(at + 1)
    await page.setViewportSize({ width: edge, height: 400 })
    await expect.poll(columns, `from ${edge}`).toBe(at + 2)
  }
})

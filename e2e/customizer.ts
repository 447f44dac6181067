import { expect, type Locator, type Page } from '@playwright/test'

/** The layout customizer on a page. */
export function customizerOn(page: Page) {
  const opener = page.getByRole('button', { name: 'Layout customizer' })
  const panel = page.getByRole('dialog', { name: 'Admin Customizer' })
  const section = (legend: string) => panel.getByRole('group', { name: legend })
  return {
    opener,
    panel,
    section,
    option: (legend: string, label: string): Locator =>
      section(legend).getByRole('radio', { name: label, exact: true }),
    async open(): Promise<void> {
      await opener.click()
      await expect(panel).toBeVisible()
    },
  }
}

/** A radio lies below its card: the card is what a person presses. */
export async function press(radio: Locator): Promise<void> {
  await radio.locator('..').click()
}

export function stored(page: Page): Promise<unknown> {
  return page.evaluate(() => JSON.parse(localStorage.getItem('layout') ?? 'null') as unknown)
}

import { test as base, type Page } from '@playwright/test'
import type { Client } from './client.ts'
import { signedIn } from './console.ts'
import { startProduct, type Product } from './product.ts'

type PerTest = {
  /** A page of a browser of its own in which the person is signed in, whose addresses begin at the product; it is closed when the test ends. */
  open: (client: Client) => Promise<Page>
}

/**
 * Tests on one running product per browser worker. Each test makes a superadmin (`newSuperadmin`) and organizations of its own in it
 * and asks only about these, so that it runs alone and in any order. A file whose subject is a setting of the installation, or an
 * installation where nobody else is, extends this with `onProductOf`.
 */
export const test = base.extend<PerTest, { shared: Product }>({
  shared: [productOf({}), { scope: 'worker', timeout: 120_000 }],
  // Every browser of a test begins at this product, so that an address is a path.
  baseURL: ({ shared }, use) => use(shared.url),
  open: async ({ browser, shared }, use) => {
    const opened: Page[] = []
    await use(async (client) => {
      const page = await signedIn(browser, shared, client)
      opened.push(page)
      return page
    })
    await Promise.all(opened.map((page) => page.context().close()))
  },
})

/** The same tests on a product of their own, which is started once for the file with these settings of the environment. */
export const onProductOf = (settings: Record<string, string> = {}) =>
  test.extend<object, { shared: Product }>({
    shared: [productOf(settings), { scope: 'worker', timeout: 120_000 }],
  })

/** What a fixture does that starts a product, with these settings and options of its first start, and stops it in the end. */
export function productOf(settings: Record<string, string>, options: string[] = []) {
  return async ({}, use: (product: Product) => Promise<void>) => {
    const product = await startProduct(settings, options)
    await use(product)
    await product.stop()
  }
}

import { test as base } from '@playwright/test'
import { startProduct, type Product } from './product.ts'

/**
 * Tests on one running product per browser worker. Each file makes a superadmin (`newSuperadmin`) and organizations of its own in it
 * and asks only about these; a file that needs another setting, a restart, or an installation where nobody else is, starts its own.
 */
export const test = base.extend<object, { shared: Product }>({
  shared: [
    async ({}, use) => {
      const product = await startProduct()
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

import type { Client } from './client.ts'
import { reader } from './pictures/things.ts'
import { productOf, test } from './shared.ts'
import type { Product } from './product.ts'

/** The same tests on a product of their own with the sample data, which they only read, and its administrator. */
export const demo = test.extend<object, { shared: Product; admin: Client }>({
  shared: [productOf({}, ['--demo']), { scope: 'worker', timeout: 600_000 }],
  admin: [async ({ shared }, use) => use(await reader(shared, 'admin')), { scope: 'worker' }],
})

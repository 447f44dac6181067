import { createRequire } from 'node:module'

/**
 * The only door to drizzle: its CommonJS build. Node.js parses a package's whole map of exports again for each ES module in it,
 * and drizzle's is 179 kB long: imported, it costs 0.7 s at the start and 200 MB (docs/decisions/0008-drizzle-by-require.md).
 */
const load = createRequire(import.meta.url)

export const { sql }: typeof import('drizzle-orm') = load('drizzle-orm')
export const { drizzle }: typeof import('drizzle-orm/node-postgres') = load('drizzle-orm/node-postgres')

export type { SQL } from 'drizzle-orm'
export type { NodePgDatabase } from 'drizzle-orm/node-postgres'

import type { FastifyInstance } from 'fastify'
import { search } from '#contract/search.ts'
import type { Mount } from '../platform/http/mount.ts'
import { searchFor } from './search.ts'

export function searchRoutes(_app: FastifyInstance, mount: Mount): void {
  mount(search, ({ tx, caller, query }) => searchFor(tx, { caller, query }))
}

import type { FastifyInstance } from 'fastify'
import type { Mount } from '../http/mount.ts'
import type { Services } from '../http/services.ts'

export function authRoutes(_app: FastifyInstance, _mount: Mount, _services: Services): void {
  // Filled by the feature.
}

import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { readDoctor, readMirror } from '#contract/doctor/doctor.ts'
import type { Reply } from '#contract/endpoint.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { dnsOf } from '../identity/mail/dns.ts'
import { lookAtAll } from './checks.ts'
import { mirrored } from './mirror.ts'

/** Every address that is asked comes from the configuration; a request names none. */
export function doctorRoutes(app: FastifyInstance, mount: Mount, services: Services): void {
  let looking: Promise<Reply<typeof readDoctor>> | undefined
  const look = async () => {
    const { env, db, keys } = services
    const address = app.server.address() as AddressInfo | null
    const dns = dnsOf(env)
    const port = address?.port ?? env.port
    const ownerUrl = env.databaseOwnerUrl
    const findings = await lookAtAll({ env, db, keys, dns, port, ownerUrl, withoutDatabase: undefined })
    return { lookedAt: new Date().toISOString(), findings }
  }
  // Whoever asks meanwhile gets the same answer: nobody can make the server ask others a hundred times at once.
  mount(readDoctor, () => (looking ??= look().finally(() => (looking = undefined))))
  mount(readMirror, async ({ request, params }) => mirrored(services, request, params.token))
}

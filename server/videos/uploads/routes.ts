import { randomUUID } from 'node:crypto'
import { Server } from '@tus/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { Id } from '#contract/endpoint.ts'
import { createVideo } from '#contract/videos/videos.ts'
import { problems } from '#contract/problems.ts'
import { adminRoles } from '#contract/roles.ts'
import { outageOf } from '../../platform/db/outage.ts'
import { refuse, toProblem } from '../../platform/errors.ts'
import { callerOf } from '../../platform/http/bearer.ts'
import { admitKey, keyRefusal } from '../../platform/http/key-calls.ts'
import type { Services } from '../../platform/http/services.ts'
import { finishIfComplete, healUploads } from './finish.ts'
import { uploadPath } from '../queries.ts'
import { requireSameFile } from './known.ts'
import { findUpload, releaseHold, takeHold, type UploadRow } from './queries.ts'
import { connection, takenOver, Uploads } from './receive.ts'

/** Resumable uploads (tus 1.0) to announced videos. Creation is not offered: `createVideo` announces and names the address. */
export function uploadRoutes(app: FastifyInstance, services: Services): void {
  const tus = new Server({
    path: uploadPath,
    relativeLocation: true,
    // No page of another origin reads an answer; left out, all of them would.
    allowedOrigins: [],
    datastore: new Uploads(services),
    locker: (request) => (request.method === 'PATCH' ? locker(services) : unlocked),
    lockDrainTimeout: 1,
    async onUploadFinish(_request, { id }) {
      const upload = await findUpload(services.db, id)
      if (upload) await finishIfComplete(services, upload)
      return {}
    },
    onResponseError(request, error) {
      const outage = error instanceof Error ? outageOf(error) : undefined
      if (!outage) return undefined
      const { code, retryAfter } = outage.fault
      const { status } = problems[code]
      const res = request.runtime?.node?.res
      // Only HTTP/1 is served here.
      if (!res || 'stream' in res) return undefined
      if (retryAfter !== undefined) res.setHeader('retry-after', retryAfter)
      // What is written here stays: the library adds the body only.
      res.writeHead(status, {
        'content-type': 'application/problem+json',
        'tus-resumable': '1.0.0',
      })
      const problem = toProblem(outage.fault, String(res.getHeader('x-request-id')))
      return { status_code: status, body: JSON.stringify(problem) }
    },
  })
  app.addHook('onReady', async () => {
    await healUploads(services).catch((error: unknown) =>
      services.log.error({ err: error }, 'uploads not healed'),
    )
  })
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.route<{ Params: { uploadId: string } }>({
      method: ['HEAD', 'PATCH', 'OPTIONS'],
      url: `${uploadPath}/:uploadId`,
      bodyLimit: Number.MAX_SAFE_INTEGER,
      config: { endlessBody: true },
      handler: (request, reply) =>
        handle({ services, tus, request, reply, uploadId: request.params.uploadId }),
    })
  })
}

/** Lets one connection write to an upload, whatever process it ends at; one that is silent gives way. */
const locker = ({ db }: Services) => ({
  newLock(id: string) {
    const holder = connection.getStore() ?? randomUUID()
    return {
      async lock() {
        if (!(await takeHold(db.single, id, holder))) throw takenOver
      },
      unlock: () => releaseHold(db.single, id, holder),
    }
  },
})

/** Asking for the length needs no turn: it is what the database says at that instant. */
const unlocked = { newLock: () => ({ lock: async () => undefined, unlock: async () => undefined }) }

type Exchange = {
  services: Services
  tus: Server
  request: FastifyRequest
  reply: FastifyReply
  uploadId: string
}

/** Settles the caller's right before the bytes are handed over; a refusal here is an ordinary problem. */
async function handle({ services, tus, request, reply, uploadId }: Exchange): Promise<unknown> {
  if (request.method !== 'OPTIONS') {
    const upload = await writableUpload({ services, request, reply, uploadId })
    const state = await finishIfComplete(services, upload)
    if (state === 'complete') return answerComplete(request, reply, upload)
    if (request.method === 'PATCH') requireSameFile(upload, state, request)
    reply.raw.setHeader('upload-head-bytes', state?.headBytes ?? 0)
    reply.raw.setHeader('upload-tail-bytes', state?.tailBytes ?? 0)
  }
  reply.raw.setHeader('x-request-id', request.id)
  reply.hijack()
  await connection
    .run(randomUUID(), () => tus.handle(request.raw, reply.raw))
    .catch((error: unknown) => {
      request.log.warn({ err: error }, 'upload broken off')
      reply.raw.destroy()
    })
  return reply
}

async function writableUpload({
  services: { db },
  request,
  reply,
  uploadId,
}: Omit<Exchange, 'tus'>): Promise<UploadRow> {
  const caller = await callerOf(db, request)
  if (!caller) throw refuse('unauthenticated')
  // Whoever may announce a video may send its file.
  await admitKey(db, caller, { what: 'upload', refusal: keyRefusal(createVideo, caller), request, reply })
  if (caller.isLocked) throw refuse('session_locked')
  if (caller.viewer) throw refuse('read_only')
  if (!adminRoles.includes(caller.role)) throw refuse('forbidden')
  const id = z.safeParse(Id, uploadId)
  const upload = id.success ? await findUpload(db, id.data) : undefined
  const theirs = caller.role === 'superadmin' || caller.organizationId === upload?.organizationId
  if (!upload || !theirs) throw refuse('not_found')
  if (upload.expired) throw refuse('link_expired', { reason: { code: 'upload_expired' } })
  return upload
}

function answerComplete(request: FastifyRequest, reply: FastifyReply, { size }: UploadRow) {
  reply
    .header('tus-resumable', '1.0.0')
    .header('upload-offset', String(size))
    .header('cache-control', 'no-store')
  if (request.method === 'HEAD') return reply.header('upload-length', String(size)).status(200).send()
  if (request.headers['upload-offset'] === String(size)) return reply.status(204).send()
  throw refuse('conflict', { reason: { code: 'upload_complete' } })
}

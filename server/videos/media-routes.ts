import { Transform, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasRow } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { readMediaToken, type MediaClaims } from '../platform/http/pages/media-link.ts'
import type { Services } from '../platform/http/services.ts'
import type { Serving } from '../tracking/served/served.ts'
import { mediaKey } from '../platform/storage/keys.ts'
import type { Storage } from '../platform/storage/storage.ts'
import type { StoredObject } from '../platform/storage/store.ts'
import { captionFileOf, shownCaptions, withCaptions } from './captions/playlist.ts'
import { chapterFile, chaptersAsJson, shownChapters, withChapters } from './chapters/playlist.ts'
import { rangeOf, type Range } from './range.ts'
import { noteServed } from './served.ts'

const types: Record<string, string> = {
  m3u8: 'application/vnd.apple.mpegurl',
  m4s: 'video/iso.segment',
  mp4: 'video/mp4',
  jpg: 'image/jpeg',
  vtt: 'text/vtt; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

type Params = { token: string; videoId: string; versionId: string; '*': string }

/** Files of finished versions. The token in the path is the right to see them; playlists name everything else relatively. */
export function mediaRoutes(app: FastifyInstance, services: Serving): void {
  const served = noteServed(services)
  app.addHook('onReady', () => served.begin())
  app.addHook('onClose', () => served.drain())
  app.route<{ Params: Params }>({
    method: ['GET', 'HEAD'],
    url: '/m/:token/:videoId/:versionId/*',
    // Segments are compressed already, and a range counts bytes of the file.
    compress: false,
    async handler(request, reply) {
      const name = request.params['*']
      const type = types[name.slice(name.lastIndexOf('.') + 1)]
      const claims = readMediaToken(services.keys, request.params)
      if (!claims || !type || !covers(claims, name)) throw refuse('not_found')
      if (claims.play) await services.links.require({ org: claims.organizationId, ...claims.play })
      const isManifest = name.endsWith('.m3u8')
      // A playlist is asked for once per playing: there the right is checked again, so that deleting ends it soon.
      const asksAgain = isManifest || name === chapterFile
      if (asksAgain && !(await stillThere(services, claims))) throw refuse('not_found')
      if (name.startsWith('captions/')) return sendCaptions(reply.type(type), { services, claims, name })
      if (name === chapterFile) return sendChapters(reply.type(type), { services, claims, name })
      const key = mediaKey(claims, name)
      if (key === undefined) throw refuse('not_found')
      const isSigned = services.env.mediaOrigin !== undefined && /\.(m4s|mp4)$/.test(name)
      const address = isSigned ? await services.storage.sign(key) : undefined
      if (address !== undefined)
        return reply.header('cache-control', 'private, no-store').redirect(address, 302)
      const file = await services.storage.head(key)
      if (!file) throw refuse('not_found')
      if (request.method !== 'HEAD') await served.announce(claims, name)
      if (name === 'master.m3u8') {
        const captions = await shownCaptions(services.db.single, claims)
        const chapters = await shownChapters(services.db.single, claims)
        if (captions.length + chapters.length > 0) {
          const master = await text(await services.storage.read(key))
          return reply
            .type(type)
            .header('cache-control', 'private, max-age=0')
            .send(withChapters(withCaptions(master, captions), chapters))
        }
      }
      // A mail is read on the page of a mail provider: its poster may be shown there.
      if (claims.scope === 'pictures') reply.header('cross-origin-resource-policy', 'cross-origin')
      reply.header(
        'cache-control',
        isManifest ? 'private, max-age=0' : 'private, max-age=31536000, immutable',
      )
      return send({
        request,
        reply: reply.type(type),
        storage: services.storage,
        file,
        onBody: (wanted, sent) => served.follow(reply, { claims, name, size: file.size, wanted, sent }),
      })
    },
  })
}

type MadeResponse = { services: Services; claims: MediaClaims; name: string }

/** They lie in the database, because they are small and change while the files of a version do not. */
async function sendCaptions(reply: FastifyReply, { services, claims, name }: MadeResponse) {
  const made = await captionFileOf(services.db.single, claims, name)
  if (!made) throw refuse('not_found')
  const kept = made.isLasting ? 'private, max-age=31536000, immutable' : 'private, max-age=0'
  return reply.header('cache-control', kept).send(made.text)
}

async function sendChapters(reply: FastifyReply, { services, claims }: MadeResponse) {
  const chapters = await shownChapters(services.db.single, claims)
  if (chapters.length === 0) throw refuse('not_found')
  return reply.header('cache-control', 'private, max-age=0').send(chaptersAsJson(chapters))
}

/** Links of lists show pictures and nothing more. */
function covers(claims: MediaClaims, name: string): boolean {
  return claims.scope === 'play' || (/\.(jpg|vtt)$/.test(name) && !name.startsWith('captions/'))
}

function stillThere({ db }: Services, claims: MediaClaims): Promise<boolean> {
  return hasRow(
    db.single,
    sql`select 1 from video_versions x join videos v on v.id = x.video_id and v.deleted_at is null
      where x.id = ${claims.versionId} and x.video_id = ${claims.videoId} and x.organization_id = ${claims.organizationId}
        and x.ready_at is not null`,
  )
}

type FileResponse = {
  request: FastifyRequest
  reply: FastifyReply
  storage: Storage
  file: StoredObject
  /** Called when bytes of the file are about to leave: which ones, and how many of them were read so far. */
  onBody: (wanted: Range | undefined, sent: () => number) => void
}

async function send({ request, reply, storage, file, onBody }: FileResponse) {
  const etag = `"${file.size.toString(36)}-${file.modifiedAt.getTime().toString(36)}"`
  reply.header('etag', etag).header('accept-ranges', 'bytes')
  reply.header('last-modified', file.modifiedAt.toUTCString())
  if (request.headers['if-none-match'] === etag) return reply.status(304).send()
  const ifRange = request.headers['if-range']
  const wanted =
    ifRange === undefined || ifRange === etag ? rangeOf(request.headers.range, file.size) : undefined
  if (wanted === 'unsatisfiable')
    return reply.status(416).header('content-range', `bytes */${file.size}`).send()
  const length = wanted ? wanted.end - wanted.start + 1 : file.size
  reply.header('content-length', length)
  if (wanted) reply.status(206).header('content-range', `bytes ${wanted.start}-${wanted.end}/${file.size}`)
  if (request.method === 'HEAD' || length === 0) return reply.send()
  const body = counted(await storage.read(file.key, wanted))
  onBody(wanted, body.sent)
  return reply.send(body.stream)
}

/** Counts what of a file was read for sending. */
function counted(stream: Readable): { stream: Readable; sent: () => number } {
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(null, chunk)
    },
  })
  stream.on('error', (error) => counter.destroy(error))
  counter.on('close', () => stream.destroy())
  return { stream: stream.pipe(counter), sent: () => bytes }
}

import type { FastifyReply } from 'fastify'
import { finished } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { MediaClaims } from '../platform/http/pages/media-link.ts'
import type { Services } from '../platform/http/services.ts'
import { mediaKey } from '../platform/storage/keys.ts'
import type { Serving } from '../tracking/served/served.ts'
import type { Range } from './range.ts'

/** One answer with a file. `wanted`: the bytes that it holds, both included; undefined for all of them. */
export type Delivery = {
  claims: MediaClaims
  name: string
  size: number
  wanted: Range | undefined
  /** Bytes that were read for sending so far. */
  sent: () => number
}

/** A segment with a picture. Sound alone is no seeing, and a playlist is no part of the video. */
const pictured = /^((?!audio\/)[\w-]+)\/(\d+)\.m4s$/
/** Less of a segment than this (milliseconds) is a probe; writing those down would make rows of thousands of crumbs. */
const leastPart = 250
/** Ends of segments of so many renditions are remembered; they never change. */
const mostKept = 2_000

/** Notes which media time goes out to which session, after the answer has left. */
export function noteServed(services: Serving) {
  const record = services.served
  const endsOf = segmentEnds(services)
  const answering = new Set<Promise<void>>()

  async function note({ claims, name, size, wanted, sent }: Delivery): Promise<void> {
    const [, rendition = '', index = ''] = pictured.exec(name) ?? []
    if (!claims.play || rendition === '') return
    const at = Date.now()
    const from = wanted?.start ?? 0
    const bytes = Math.min(sent(), (wanted ? wanted.end + 1 : size) - from)
    const ends = await endsOf(claims, rendition)
    const end = ends[Number(index)]
    if (end === undefined || bytes <= 0) return
    const start = Number(index) === 0 ? 0 : (ends[Number(index) - 1] ?? 0)
    const place = (byte: number) => start + Math.floor(((end - start) * byte) / size)
    const { organizationId, videoId, versionId, play } = claims
    const part = [place(from), place(from + bytes)] as const
    if (bytes < size && part[1] - part[0] < leastPart) return
    record.note({ organizationId, videoId, versionId, ...play, part, bytes, at })
  }

  return {
    /** Resolves when the record has begun; nothing may be handed out before. */
    begin: (): Promise<void> => record.begin(),
    /** Resolves when bytes of this file may leave. */
    async announce({ play, organizationId }: MediaClaims, name: string): Promise<void> {
      if (play && pictured.test(name)) await record.announce({ session: play.session, organizationId })
    },
    /** Notes the answer when it has ended. What was broken off counts as far as it went, by its share of the bytes. */
    follow(reply: FastifyReply, delivery: Delivery): void {
      if (!delivery.claims.play || !pictured.test(delivery.name)) return
      const ended = new Promise<void>((resolve) => finished(reply.raw, () => resolve()))
      const noted = ended
        .then(() => note(delivery))
        .catch((error: unknown) => {
          services.log.error({ err: error }, 'the place of what was handed out could not be looked up')
          record.lose(delivery.claims.play?.session)
        })
        .finally(() => answering.delete(noted))
      answering.add(noted)
    },
    /** Resolves when every answer has ended and is written down. */
    async drain(): Promise<void> {
      await Promise.all(answering)
      await record.drain()
    },
  }
}

/** Where each segment of a rendition ends, in media milliseconds, as its playlist says. */
function segmentEnds({ storage }: Services) {
  const cache = new Map<string, Promise<number[]>>()

  async function read(claims: MediaClaims, rendition: string): Promise<number[]> {
    const key = mediaKey(claims, `${rendition}/index.m3u8`)
    if (key === undefined) throw new Error(`${rendition} has no playlist`)
    let seconds = 0
    return [...(await text(await storage.read(key))).matchAll(/^#EXTINF:([\d.]+)/gm)].map(([, length]) => {
      seconds += Number(length)
      return Math.round(seconds * 1_000)
    })
  }

  return (claims: MediaClaims, rendition: string): Promise<number[]> => {
    const key = `${claims.versionId}/${rendition}`
    const known = cache.get(key)
    if (known) return known
    const ends = read(claims, rendition)
    cache.set(key, ends)
    ends.catch(() => cache.delete(key))
    const [oldest] = cache.keys()
    if (cache.size > mostKept && oldest !== undefined) cache.delete(oldest)
    return ends
  }
}

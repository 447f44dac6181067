import { randomBytes } from 'node:crypto'
import { pictureLimits } from '#contract/directory/picture-limits.ts'
import { choosePoster, readPosters, type Posters } from '#contract/videos/posters.ts'
import { inTurn } from '../../directory/pictures/store.ts'
import { segmentSeconds } from '../../media/ladder.ts'
import { posterOfFrame, posterOfPicture, type DrawnPoster } from '../../media/pictures/poster.ts'
import { requireRow, type Tx } from '../../platform/db/client.ts'
import { Id } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { mediaPath, signMedia } from '../../platform/http/pages/media-link.ts'
import type { Services } from '../../platform/http/services.ts'
import type { Keys } from '../../platform/keys.ts'
import { mediaKey } from '../../platform/storage/keys.ts'
import { bytesOf, isAbsent } from '../../platform/storage/store.ts'
import { findPlaying, postersOf, showPoster, type KeptPoster, type PlayingVersion } from './queries.ts'

export function posterRoutes(mount: Mount, services: Services): void {
  const { db, keys, storage } = services

  mount(readPosters, async ({ tx, params }) => toldOf(await playing(tx, params.videoId), keys))

  /** Draws without a connection to the database, because that takes a while. */
  mount(choosePoster, async ({ params: { videoId }, body, scope, caller, request }) => {
    const { atMs, data, id } = body
    if ([atMs, data, id].filter((one) => one !== undefined).length !== 1)
      throw refuse('validation_failed', { fields: { atMs: ['required'] } })
    const version = await db.as(scope, (tx) => playing(tx, videoId))
    if (atMs !== undefined && atMs >= version.durationMs)
      throw refuse('validation_failed', { fields: { atMs: ['too_big'] } })
    const drawn = id === undefined ? await drawnFor(services, version, { atMs, data }) : undefined
    const store = await storage.main()
    const made = drawn && newPoster(atMs)
    if (drawn && made) {
      await store.put(keyOf(version, made.poster), drawn.poster)
      await store.put(keyOf(version, made.posterSmall), drawn.posterSmall)
    }
    return db.as(
      scope,
      async (tx) => {
        const now = await playing(tx, videoId, true)
        // It was replaced while its poster was drawn.
        if (now.versionId !== version.versionId) throw refuse('conflict')
        if (made && !(await storage.holds(tx, store))) throw refuse('unavailable')
        const shown = made ?? postersOf(now).find((one) => one.id === id)
        if (!shown) throw refuse('validation_failed', { fields: { id: ['not_found'] } })
        const bytes = drawn ? drawn.poster.length + drawn.posterSmall.length : 0
        await showPoster(tx, now, { shown, bytes })
        const { organizationId } = now
        const entry = { organizationId, action: 'video.poster', entity: 'video', entityId: videoId } as const
        const after = { kind: shown.kind, atMs: shown.atMs }
        await audit(tx, { caller, request }, { ...entry, after })
        return toldOf(await playing(tx, videoId), keys)
      },
      caller.userId,
    )
  })
}

async function playing(tx: Tx, videoId: string, lock = false): Promise<PlayingVersion> {
  const found = await findPlaying(tx, videoId, lock)
  if (found) return found
  await requireRow(tx, Id, sql`select id from videos where id = ${videoId} and deleted_at is null`)
  throw refuse('not_ready')
}

function toldOf(version: PlayingVersion, keys: Keys): Posters {
  const grant = { ...version, seconds: version.durationMs / 1_000 }
  const token = signMedia(keys, { ...grant, scope: 'pictures' })
  return {
    versionId: version.versionId,
    posters: postersOf(version).map(({ id, kind, atMs, at, poster, posterSmall }) => ({
      id,
      kind,
      atMs,
      at,
      picture: mediaPath(token, grant, posterSmall),
      isShown: poster === version.poster,
    })),
  }
}

/** Its files have names that nothing had before: whoever keeps a picture by its address keeps the right one. */
function newPoster(atMs: number | undefined): KeptPoster {
  const id = randomBytes(8).toString('hex')
  const names = { poster: `poster-${id}.jpg`, posterSmall: `poster-${id}-640.jpg` }
  const at = new Date().toISOString()
  return { id, kind: atMs === undefined ? 'picture' : 'frame', atMs: atMs ?? null, at, ...names }
}

function keyOf(version: PlayingVersion, name: string): string {
  const key = mediaKey(version, name)
  if (key === undefined) throw new Error(`no name of a file: ${name}`)
  return key
}

type Wanted = { atMs: number | undefined; data: string | undefined }

async function drawnFor(
  services: Services,
  version: PlayingVersion,
  { atMs, data }: Wanted,
): Promise<DrawnPoster> {
  if (data !== undefined) {
    const source = Buffer.from(data, 'base64')
    return inTurn(version.organizationId, () => posterOfPicture(source, pictureLimits.pixels))
  }
  const ms = atMs ?? 0
  const piece = await pieceAt(services, version, ms)
  return inTurn(version.organizationId, () => posterOfFrame(piece, ms % (segmentSeconds * 1_000)))
}

const posterWidth = 1280

/** The beginning of the rendition that is large enough for a poster, and its segment with that moment. */
async function pieceAt({ storage }: Services, version: PlayingVersion, ms: number): Promise<Buffer> {
  const renditions = (version.renditions ?? []).toSorted((a, b) => a.width - b.width)
  const best = renditions.find(({ width }) => width >= posterWidth) ?? renditions.at(-1)
  if (!best) throw refuse('not_ready')
  const segment = `${String(Math.floor(ms / (segmentSeconds * 1_000))).padStart(5, '0')}.m4s`
  const parts = ['init.mp4', segment].map((name) => keyOf(version, `${best.name}/${name}`))
  try {
    const read = parts.map(async (key) => bytesOf(await storage.read(key)))
    return Buffer.concat(await Promise.all(read))
  } catch (error) {
    if (!isAbsent(error)) throw error
    // The last frames may lie in the segment before, where a length was rounded up.
    throw refuse('validation_failed', { fields: { atMs: ['too_big'] } })
  }
}

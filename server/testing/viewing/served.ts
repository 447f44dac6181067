import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { parseRanges, type Ranges } from '../../platform/db/multirange.ts'
import { readPlay, type PlayClaims } from '../../tracking/ingest/token.ts'
import type { TestServer } from '../server.ts'
import { addDelivery, addVideo, openPage } from './viewing.ts'
import { mediaPrefix } from '../../platform/storage/keys.ts'

/** Bytes of each segment. */
export const segmentBytes = 1_200

/** A video of 60 seconds whose media lie where processing puts them: one rendition and sound, ten segments of six seconds. */
export async function addMedia(server: TestServer, organizationId: string, title = 'Fire drill') {
  const ids = await addVideo(server, { organizationId, title, durationMs: 60_000 })
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-media-'))
  for (const rendition of ['360p', 'audio']) {
    await mkdir(path.join(folder, rendition))
    const names = Array.from({ length: 10 }, (_nothing, index) => segmentName(index))
    for (const name of names) await writeFile(path.join(folder, rendition, name), Buffer.alloc(segmentBytes))
    const lines = names.flatMap((name) => ['#EXTINF:6.000000,', name])
    await writeFile(
      path.join(folder, rendition, 'index.m3u8'),
      ['#EXTM3U', ...lines, '#EXT-X-ENDLIST'].join('\n'),
    )
  }
  await writeFile(
    path.join(folder, 'master.m3u8'),
    '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=400000\n360p/index.m3u8\n',
  )
  const store = await server.services.storage.main()
  await store.putFolder(mediaPrefix({ organizationId, ...ids }), folder, () => false)
  await server.services.db.system.query(
    `update video_versions set storyboard = '{"file": "storyboard.vtt"}' where id = $1`,
    [ids.versionId],
  )
  return ids
}

export const segmentName = (index: number) => `${String(index).padStart(5, '0')}.m4s`

type Wanted = { rendition?: string; method?: 'GET' | 'HEAD'; headers?: Record<string, string> }

/** Fetches a segment as a player does that has this address of the master playlist. */
export async function fetchSegment(
  { app }: TestServer,
  address: { hls: string; index: number },
  wanted: Wanted = {},
): Promise<{ status: number; headers: Record<string, unknown> }> {
  const { hls, index } = address
  const { rendition = '360p', method = 'GET', headers = {} } = wanted
  const url = hls.replace('master.m3u8', `${rendition}/${segmentName(index)}`)
  const answer = await app.inject({ method, url, headers })
  return { status: answer.statusCode, headers: answer.headers }
}

/** Somebody to whom the video was sent; `open` opens it with their personal link. */
export async function addViewer(
  server: TestServer,
  organizationId: string,
  video: { videoId: string; versionId: string },
) {
  const userId = (await server.person(null, organizationId)).id
  const { secret } = await addDelivery(server, { organizationId, ...video, userId })
  return {
    userId,
    open: async (): Promise<{ claims: PlayClaims; hls: string; playToken: string }> => {
      const { data } = await openPage(server, `/w/video/${video.videoId}?d=${secret}`)
      const playToken = data?.playToken ?? ''
      const claims = readPlay(server.services.keys, playToken)
      if (typeof claims === 'string') throw new Error(claims)
      return { claims, hls: data?.hls ?? '', playToken }
    },
  }
}

/** What is written down as handed out to a session. */
export async function servedTo({ services }: TestServer, session: string): Promise<Ranges> {
  const found = await services.db.system.query<{ parts: string }>(
    'select parts::text as parts from served_parts where session_id = $1',
    [session],
  )
  return parseRanges(found.rows[0]?.parts ?? '')
}

/** As if some process had served every session of the organization. */
export const announceAll = ({ query }: TestServer, organizationId: string) =>
  query(
    `insert into served_sessions (session_id, process_id, organization_id)
      select id, uuidv7(), organization_id from play_sessions where organization_id = $1`,
    [organizationId],
  )

/** From now on the database takes no row of these tables; what is returned lets it again. */
export async function refuseRows(
  { ownerUrl }: TestServer,
  ...tables: string[]
): Promise<() => Promise<void>> {
  const change = async (what: string) => {
    const client = new pg.Client({ connectionString: ownerUrl })
    await client.connect()
    try {
      for (const table of tables) await client.query(`alter table ${table} ${what}`)
    } finally {
      await client.end()
    }
  }
  await change('add constraint nothing_new check (false) not valid')
  return () => change('drop constraint nothing_new')
}

import { expect, test } from 'vitest'
import { readEnv } from '#server/env.ts'
import { keysOf } from '#server/keys.ts'
import { servedTo } from './served.ts'
import { startPlay, type NewPlay } from './token.ts'

const keys = keysOf('a secret that only tests know, long enough')
const play: NewPlay = {
  org: 'org',
  video: 'video',
  version: 'version',
  durMs: 60_000,
  kind: 'recipient',
  userId: 'user',
  maxRate: 2,
  theta: 0.95,
}

test('a record is kept of who plays, of no preview, and of nobody where a cache stands in front', () => {
  const { claims } = startPlay(keys, play)
  const preview = startPlay(keys, { ...play, kind: 'preview' }).claims
  const [alone, cached] = [readEnv({}), readEnv({ MEDIA_CACHE: '1' })]
  expect(servedTo(alone, claims)).toEqual({ session: claims.session, viewerKey: 'recipient:user' })
  expect(servedTo(alone, preview)).toBeUndefined()
  expect(servedTo(cached, claims)).toBeUndefined()
})

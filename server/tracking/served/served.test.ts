import { expect, test } from 'vitest'
import { keysOf } from '#server/platform/keys.ts'
import { servedTo } from './served.ts'
import { startPlay, type NewPlay } from '../ingest/token.ts'

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

test('a record is kept of whose page opened while there was one, and of nobody else', () => {
  const { claims } = startPlay(keys, { ...play, run: 'run' })
  expect(servedTo(claims)).toEqual({ session: claims.session, viewerKey: 'recipient:user' })
  expect(servedTo(startPlay(keys, play).claims)).toBeUndefined()
})

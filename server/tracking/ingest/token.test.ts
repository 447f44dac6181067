import { describe, expect, it } from 'vitest'
import { keysOf } from '#server/platform/keys.ts'
import { readPlay, startPlay, type NewPlay } from './token.ts'

const keys = keysOf('a secret that only tests know, long enough')
const now = Date.UTC(2026, 10, 20, 12)
const hour = 3_600_000
const play: NewPlay = {
  org: 'org',
  video: 'video',
  version: 'version',
  durMs: 60_000,
  transmission: 'transmission',
  delivery: 'delivery',
  kind: 'recipient',
  userId: 'user',
  maxRate: 2,
  theta: 0.95,
}
const { claims, token } = startPlay(keys, play, now)
const [keyId = '', payload = '', signature = ''] = token.split('.')

function altered(change: object): string {
  const changed = { ...claims, ...change }
  return `${keyId}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`
}

describe('play tokens', () => {
  it('carry whose viewing it is, a session of its own and an end after 24 hours', () => {
    const { userId: _userId, ...facts } = play
    expect(readPlay(keys, token, now)).toEqual({
      ...facts,
      viewerKey: 'recipient:user',
      session: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as string,
      iat: now,
      exp: now + 24 * hour,
    })
    expect(startPlay(keys, play, now).claims.session).not.toBe(claims.session)
    expect(token.length).toBeLessThan(1_000)
  })

  it('name an unknown visitor after the session', () => {
    const { userId: _userId, transmission: _t, delivery: _d, ...facts } = play
    const visit = startPlay(keys, { ...facts, kind: 'visitor' }, now).claims
    expect(visit.viewerKey).toBe(`visitor:${visit.session}`)
  })

  it('end', () => {
    expect(readPlay(keys, token, now + 24 * hour - 1)).toMatchObject({ org: 'org' })
    expect(readPlay(keys, token, now + 24 * hour)).toBe('expired')
  })

  it.each([
    ['another organization', altered({ org: 'foreign' })],
    ['another video', altered({ video: 'foreign' })],
    ['another viewer', altered({ viewerKey: 'recipient:other' })],
    ['a later end', altered({ exp: now + 48 * hour })],
    ['an earlier start', altered({ iat: now - 48 * hour })],
    ['a faster rate', altered({ maxRate: 4 })],
    ['another key id', `2.${payload}.${signature}`],
    ['no signature', `${keyId}.${payload}`],
    ['an empty signature', `${keyId}.${payload}.`],
    ['a signature for media', `${keyId}.${payload}.${keys.sign('media', `${keyId}.${payload}`)}`],
    ['another installation', startPlay(keysOf('another secret'), play, now).token],
    ['nothing', ''],
    ['dots', '...'],
  ])('are refused with %s', (_what, attempt) => {
    expect(readPlay(keys, attempt, now)).toBe('forged')
  })
})

import { describe, expect, it } from 'vitest'
import { keysOf } from '../../keys.ts'
import { mediaExpiry, mediaPath, readMediaToken, signMedia } from './media-link.ts'

const keys = keysOf('a secret that only tests know, long enough')
const grant = { organizationId: 'org', videoId: 'video', versionId: 'version', seconds: 60 }
const now = Date.UTC(2026, 10, 20, 12, 10)
const hour = 3_600_000
const token = signMedia(keys, grant, now)
const request = { token, videoId: 'video', versionId: 'version' }

describe('media links', () => {
  it('opens the version that it was made for', () => {
    expect(readMediaToken(keys, request, now)).toEqual({
      organizationId: 'org',
      videoId: 'video',
      versionId: 'version',
      scope: 'play',
      expires: Date.UTC(2026, 10, 20, 15) / 1000,
    })
    expect(mediaPath(token, grant, 'master.m3u8')).toBe(`/m/${token}/video/version/master.m3u8`)
    expect(mediaExpiry(token)?.toISOString()).toBe('2026-11-20T15:00:00.000Z')
  })

  it('gives the same address within an hour, so that pictures stay cached', () => {
    expect(signMedia(keys, grant, now + 30 * 60_000)).toBe(token)
  })

  it('lives two hours at least and three times the duration of a long video', () => {
    expect(readMediaToken(keys, request, now + 2 * hour)).toBeDefined()
    expect(readMediaToken(keys, request, now + 3 * hour)).toBeUndefined()
    const long = signMedia(keys, { ...grant, seconds: 4 * 3600 }, now)
    expect(readMediaToken(keys, { ...request, token: long }, now + 12 * hour)).toBeDefined()
    expect(readMediaToken(keys, { ...request, token: long }, now + 13 * hour)).toBeUndefined()
  })

  it('carries whose playing it is for, and then is the address of no other', () => {
    const [videoId, versionId, organizationId] = [0, 1, 2].map(() => crypto.randomUUID()) as [
      string,
      string,
      string,
    ]
    const play = {
      session: crypto.randomUUID(),
      viewerKey: `recipient:${crypto.randomUUID()}`,
      delivery: crypto.randomUUID(),
    }
    const own = signMedia(keys, { organizationId, videoId, versionId, seconds: 60, play }, now)
    expect(readMediaToken(keys, { token: own, videoId, versionId }, now)).toMatchObject({
      scope: 'play',
      play,
    })
    // The router takes 500 characters.
    expect(own.length).toBeLessThan(500)
  })

  const [payload = '', signature = ''] = token.split('.')
  const altered = Buffer.from(
    Buffer.from(payload, 'base64url').toString().replace('"play"', '"pics"'),
  ).toString('base64url')
  it.each([
    ['another video', { ...request, videoId: 'other' }],
    ['another version', { ...request, versionId: 'other' }],
    ['no signature', { ...request, token: payload }],
    ['an altered payload', { ...request, token: `${altered}.${signature}` }],
    ['an altered signature', { ...request, token: `${payload}.${signature.slice(0, -2)}AA` }],
    ['a tail', { ...request, token: `${token}.x` }],
    ['another installation', { ...request, token: signMedia(keysOf('another secret'), grant, now) }],
    ['nothing', { ...request, token: '' }],
    ['a signed payload that is no JSON', { ...request, token: `zzz.${keys.sign('media', 'zzz')}` }],
  ])('refuses %s', (_what, attempt) => {
    expect(readMediaToken(keys, attempt, now)).toBeUndefined()
  })
})

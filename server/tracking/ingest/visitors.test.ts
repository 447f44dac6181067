import { beforeEach, describe, expect, it } from 'vitest'
import { aServer } from '#server/testing/worlds.ts'
import { forgetVisitors, visitorLimit } from './visitors.ts'

const server = await aServer()
const { query } = server
const limit = visitorLimit(server.services)
const visit = { videoId: 'video', ip: '203.0.113.77' }

await limit(visit)
const [counted] = await query('select key from visitor_counts')

beforeEach(async () => {
  await query('delete from visitor_counts')
})

const came = (count: number, ago: string) =>
  query('insert into visitor_counts (key, began, count) values ($1, now() - $2::interval, $3)', [
    counted?.['key'],
    ago,
    count,
  ])

describe('visitors', () => {
  it('are told to wait once thirty have come within a minute, each video and each network for itself', async () => {
    const waits = []
    for (let n = 0; n < 32; n++) waits.push(await limit(visit))
    expect(waits.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 0))
    for (const wait of waits.slice(30)) {
      expect(wait).toBeGreaterThan(30)
      expect(wait).toBeLessThanOrEqual(65)
    }
    expect(await limit({ ...visit, videoId: 'other' })).toBe(0)
    expect(await limit({ ...visit, ip: '203.0.114.1' })).toBe(0)
    expect(await limit({ ...visit, ip: '203.0.113.1' })).toBeGreaterThan(0)
  })

  it('may come again when enough of the minute lies behind', async () => {
    await came(10, '55 seconds')
    await came(20, '20 seconds')
    const wait = await limit(visit)
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(10)
    await query(`update visitor_counts set began = began - interval '10 seconds'`)
    expect(await limit(visit)).toBe(0)
  })

  it('may come again when enough of the hour lies behind', async () => {
    await came(280, '50 minutes')
    await came(20, '30 minutes')
    const wait = await limit(visit)
    expect(wait).toBeGreaterThan(9 * 60)
    expect(wait).toBeLessThanOrEqual(10 * 60 + 5)
    await query(`update visitor_counts set began = began - interval '11 minutes'`)
    expect(await limit(visit)).toBe(0)
  })

  it('are thirty however many come at the same instant', async () => {
    let slices = 0
    let waits: number[] = []
    // Where a slice ended meanwhile, those that were on their way then may not see each other.
    while (slices !== 1) {
      await query('delete from visitor_counts')
      waits = await Promise.all(Array.from({ length: 60 }, () => limit(visit)))
      slices = (await query('select 1 from visitor_counts')).length
    }
    expect(waits.filter((wait) => wait === 0)).toHaveLength(30)
  })

  it('wait no longer because a clock was set back', async () => {
    await came(300, '-10 minutes')
    expect(await limit(visit)).toBe(0)
  })

  it('are let in while they cannot be counted', async () => {
    const { services } = server
    const broken = { execute: () => Promise.reject(new Error('the disk is full')) }
    const blind = visitorLimit({ ...services, db: { ...services.db, single: broken } })
    expect(await blind(visit)).toBe(0)
  })

  it('are forgotten, and nothing of their network is kept', async () => {
    await limit(visit)
    const [row] = await query('select * from visitor_counts')
    expect(JSON.stringify(row)).not.toContain('203.0.113')
    await forgetVisitors(server.services.db)
    expect(await query('select 1 from visitor_counts')).toHaveLength(1)
    await query(`update visitor_counts set began = began - interval '3 hours'`)
    await forgetVisitors(server.services.db)
    expect(await query('select 1 from visitor_counts')).toHaveLength(0)
  })
})

import { describe, expect, test } from 'vitest'
import { campaign } from './testing/several/campaign.ts'
import { canBePooled, canBeSeveral } from './testing/several/cluster.ts'
import { moves } from './testing/several/moved.ts'

// In full they are workloads of the benchmarks: half an hour with 60 faults, and 500 videos with 20 kills.
const seed = 40

describe.skipIf(!canBeSeveral)('machines and their files (needs nginx and the packages of Swift)', () => {
  test(`machines with nothing in common but a database and a bucket lose nothing, double nothing and doubt nobody (seed ${seed})`, async () => {
    const { faults, counts } = await campaign({ faults: 12, seconds: 200, recipients: 300, seed })
    expect(faults).toEqual([])
    expect(counts['videos sent and converted']).toBeGreaterThan(3)
    expect(counts['who watched and is proven']).toBeGreaterThan(10)
  })

  test.skipIf(!canBePooled)(
    `so do those behind HAProxy, with PostgreSQL 17 behind a pooler in transaction mode (needs HAProxy, PgBouncer and PostgreSQL 17)`,
    async () => {
      const plan = { faults: 12, seconds: 200, recipients: 300, seed, surroundings: 'pooled' } as const
      const { faults, counts } = await campaign(plan)
      expect(faults).toEqual([])
      expect(counts['videos sent and converted']).toBeGreaterThan(3)
      expect(counts['who watched and is proven']).toBeGreaterThan(10)
    },
  )

  test.skipIf(!canBePooled)(
    'a primary is killed, its standby takes over, and nobody loses anything or is written to twice (needs HAProxy, PgBouncer and PostgreSQL 17)',
    async () => {
      const plan = { faults: 1, seconds: 30, recipients: 1_500, seed, surroundings: 'standby' } as const
      const { faults, counts } = await campaign(plan)
      expect(faults).toEqual([])
      expect(counts['ms until every process was back']).toBeLessThan(10_000)
      expect(counts['messages accepted']).toBeGreaterThan(1_450)
    },
  )

  test.skipIf(!canBePooled)(
    'one machine after the other is replaced while people work, and no question fails (needs HAProxy, PgBouncer and PostgreSQL 17)',
    async () => {
      const plan = { faults: 0, seconds: 20, recipients: 300, seed, surroundings: 'pooled' } as const
      const { faults, ends } = await campaign({ ...plan, isUpdate: true })
      expect(faults).toEqual([])
      expect(ends).toHaveLength(6)
    },
  )

  test(`files move there and back the same while people work and the move is killed (seed ${seed})`, async () => {
    const { faults, counts } = await moves({ videos: 30, kills: 6, seed })
    expect(faults).toEqual([])
    expect(counts['videos sent and converted']).toBeGreaterThan(3)
  })
})

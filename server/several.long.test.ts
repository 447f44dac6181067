import { describe, expect, test } from 'vitest'
import { campaign } from './testing/several/campaign.ts'
import { canBeSeveral } from './testing/several/cluster.ts'
import { moves } from './testing/several/moved.ts'

// In full they are workloads of the benchmarks: half an hour with 60 faults, and 500 videos with 20 kills.
const seed = 40

describe.skipIf(!canBeSeveral)('machines and their files (needs nginx and the packages of Swift)', () => {
  test(
    `machines with nothing in common but a database and a bucket lose nothing, double nothing and doubt nobody (seed ${seed})`,
    { timeout: 900_000 },
    async () => {
      const { faults, counts } = await campaign({ faults: 12, seconds: 200, recipients: 300, seed })
      expect(faults).toEqual([])
      expect(counts['videos sent and converted']).toBeGreaterThan(3)
      expect(counts['who watched and is proven']).toBeGreaterThan(10)
    },
  )

  test(
    `files move there and back the same while people work and the move is killed (seed ${seed})`,
    { timeout: 900_000 },
    async () => {
      const { faults, counts } = await moves({ videos: 30, kills: 6, seed })
      expect(faults).toEqual([])
      expect(counts['videos sent and converted']).toBeGreaterThan(3)
    },
  )
})

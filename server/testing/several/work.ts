import { setTimeout as pause } from 'node:timers/promises'
import { outageOf } from '../../platform/db/outage.ts'
import { shortFilm } from '../media/clips.ts'
import type { Person } from '../server.ts'
import type { Sink } from '../mail/sink.ts'
import type { Chance } from '../viewing/viewers.ts'
import type { Cluster } from './cluster.ts'
import { frontOf, type Front } from './front.ts'

export type Scene = {
  cluster: Cluster
  front: Front
  luck: Chance
  sink: Sink
  /** Of a short film that can be converted. */
  clip: Buffer
  /** Of an organization: its administrator, who asks through the balancer. */
  newOrganization(): Promise<{ orgId: string; admin: Person }>
  /** Nothing new is begun any more; what has begun goes on to its end. */
  isOver: boolean
  /** Runs of machines that were killed, by `run`, and when. */
  killed: Map<string, number>
  faults: string[]
}

/** What people do with the installation all the time, and how it is judged when it has come to rest. */
export type Work = {
  /** Resolves when everything that it has begun has ended. */
  run(): Promise<void>
  /** Tells faults to the scene; gives what there is to be counted. */
  judge(): Promise<Record<string, number>>
}

/** Everybody works while `meanwhile` runs, and ends what they have begun. */
export async function among(
  scene: Scene,
  works: readonly Work[],
  meanwhile: () => Promise<void>,
): Promise<void> {
  const running = works.map((work) => work.run().catch((error: unknown) => giveUp(scene, error)))
  try {
    await meanwhile()
  } finally {
    scene.isOver = true
    await Promise.all(running)
  }
}

/** Nobody of those who work may have to. */
export function giveUp({ faults }: Scene, error: unknown): void {
  faults.push(`somebody gave up: ${error instanceof Error ? error.stack : String(error)}`)
}

export async function sceneOf({
  cluster,
  ...given
}: Pick<Scene, 'cluster' | 'sink' | 'luck'>): Promise<Scene> {
  const { server, url, faults } = cluster
  const front = frontOf(url, faults)
  return {
    ...given,
    cluster,
    front,
    faults,
    clip: await shortFilm(),
    async newOrganization() {
      const orgId = await server.organization()
      const admin = await server.person('admin', orgId)
      return { orgId, admin: { ...admin, call: front.callAs(admin.token) } }
    },
    isOver: false,
    killed: new Map(),
  }
}

/** What a test does past the balancer is tried again where the machine is too busy for a connection in time. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let left = 60; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !outageOf(error)) throw error
      await pause(1_000)
    }
  }
}
